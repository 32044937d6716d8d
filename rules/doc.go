// Package rules holds what the advisor knows, as YAML that people edit, and
// reads it.
//
// One file is one fact: cards/rtx-4090.yaml, risks/K5.yaml; its name is its id.
// README.md says how to add one. The files fill the types of package advisor
// directly (YAML tags are only text), so there is no second set of structs.
//
// [Load] reads the files that came with the program, [LoadFS] and [LoadDir] any
// others; [Check] does the same and enumerates the decision tables as well.
// All of them report every problem at once, with file, line, field, what was
// found and what was wanted: whoever edits a rule should need one round, not
// ten. [Decode] is the walker behind them; it reads any struct, the bot's
// configuration too.
//
// Reading takes three steps. Files are parsed on all processors, each into its
// own entry (shelves.go says which folder fills what). Then one entry is held
// against the others: ids that do not exist, names that two entries claim,
// conditions on inputs that no table has (links.go). Last, the book compiles
// its tables and indexes its names ([advisor.Rulebook.LinkTables],
// [advisor.Rulebook.Link]).
//
// Why not the library's own decoding: it stops at the first error of a type
// that reads itself, gives no line there, and lets unknown keys of inlined
// structs pass. Why no expression language: conditions are maps of inputs to
// values, so that they can be checked, listed and enumerated.
package rules
