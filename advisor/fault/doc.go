// Package fault is the part of the advisor that has seen broken machines. It
// answers two questions, and both from text that somebody pasted:
//
//   - Whose fault is it? [Book.Diagnose] reads a log and says in which of five
//     layers the cause lies, quotes the line that shows it, and names what to
//     do: fix, restart, swap, claim, resize, or ask for more lines.
//   - Is this the card I paid for? [Read] reads a print of nvidia-smi, npu-smi
//     or rocm-smi, [Judge] compares it with what was ordered.
//
// # A log, from top to bottom
//
// lines.go makes lines out of a paste: it keeps the head and the tail of a long
// one, removes colour codes and progress bars, and undoes what chats do to
// quotes. scan.go finds, in one pass over the text, the few signatures that can
// match a line at all; only those are tried as regular expressions. hits.go
// decides which matches count: a line of plain conversation does not, an
// out-of-memory line counts for the signature that its own arithmetic (oom.go)
// chooses, an Xid (xid.go) is looked up by number. aside.go sets old events of the
// host's log apart (clock.go reads their times), diagnose.go ranks what is left and
// writes the [Diagnosis], mask.go hides secrets in what it quotes.
//
// The ranking is the heart of it. A paste usually ends with consequences: a
// watchdog, a dead worker, a generic "failed". So a signature carries a tier,
// and the lowest tier wins wherever its line stands:
//
//	1  facts about the machine: a lost card, memory errors, heat, power
//	2  the kernel or the container killed something; a full disk
//	3  the driver did not start
//	4  libraries and kernels that do not fit together
//	5  the exact cause as a framework prints it
//	6  a tool's own summary, or a warning after which it goes on
//	7  a consequence: never the cause; alone, it means "cannot tell"
//
// A signature may be a last resort (an exception whose name is all that is known
// of it): it decides only when nothing but consequences stands beside it.
//
// Within a tier the earlier event wins. Events that the kernel noted long before
// the failure, or on a card that is not in the print beside it, are background.
//
// # A print, from left to right
//
// print.go holds what a print can say. Everything is absent until the print
// says it: a missing temperature is nil, never 0. One file per family of prints
// reads it (table.go, query.go, csv.go, npu.go, rocm.go), by the columns of its
// frame. paid.go reads what was ordered, judge.go goes through the checks in
// order and never takes a pass for a proof: [Verdict.ProvesNot] says what the
// print cannot show.
//
// # What is knowledge and what is code
//
// Which words mean which fault is knowledge and comes from outside, as
// [Signature] values; so do the sizes of cards and the driver branches
// ([Known]). Code knows only forms: how a kernel writes an Xid, how the frame of
// nvidia-smi is drawn. Nothing here writes a sentence for people: findings,
// questions and signatures are ids.
//
// Everything is linear in the length of the paste (RE2), holds no state between
// calls and accepts any bytes.
package fault
