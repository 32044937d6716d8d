// Package vram is memory arithmetic: how many bytes of GPU memory a job
// takes, and which card holds it.
//
// # The way of one estimate
//
// A [Job] says what is to run, with zero for whatever nobody knows.
// resolve (settings.go) fills each gap with a default and remembers that it
// did. terms.go then writes the job down as a handful of byte counts for one
// copy on one card: weights (weights.go), the cache of keys and values
// (kv.go), activations and logits (inference.go, training.go, diffusion.go,
// small.go), gradients, optimizer, adapters. split.go shares the terms out
// over several cards. The sum at the worst instant, plus the CUDA context, is
// the peak: what nvidia-smi would show. Which instant is worst is part of the
// arithmetic: gradients appear while activations go, so their maximum counts
// and not their sum.
//
// [Job.Estimate] is the whole story of one job for people: the three numbers,
// the terms, the dominant one, what was assumed, and one lever that brings the
// job down to a smaller class of card. [Job.Plan] is the same arithmetic for
// choosing cards: it resolves the job once and then judges a card in some
// nanoseconds ([Plan.On], [Plan.Count]).
//
// # Three numbers
//
// Load is what is resident before the first step (weights, other parts of the
// pipeline, CUDA context). Peak is the predicted reading at the stated
// settings, or the user's own measurement. Reserve is 5 % of the peak when
// every setting was given, else 15 %. A card holds the job when Total, their
// sum without Load, is at most its usable memory; comfortably when at most
// 90 % of it.
//
// # Units
//
// Bytes inside, GiB outside. Published figures mix GB and GiB, which differ by
// 7 %, about the distance between "fits" and "does not".
//
// # Where the constants come from
//
// Every coefficient is a named constant beside the formula that uses it, with
// its source. Exact arithmetic (bytes of a parameter, shape of a cache) is
// told from fitted figures ("fitted": set by looking at published
// measurements). The published figures themselves are data, in
// rules/measurements; [Accuracy] compares them with what the formulas say, and
// a test refuses a change that makes a domain worse.
//
// # What is not solved
//
// Fragmentation of the caching allocator shows as jumps of up to 10 % at long
// sequences. Pipeline and expert parallelism are counted by division, without
// bubbles or imbalance. Training of convolutional networks is a fit of two
// constants. Speech models are sized by their parameters.
package vram
