// Package cost is the calculator of the house: what a finished job costs, when
// a month beats an hour, and how far a quoted price can be believed. It takes
// numbers and gives numbers; the sentences live in the rules.
//
// A tour, from the coin to the comparison:
//
//   - [Amount] is a decimal number of millionths, [Money] an amount in one
//     [Currency]. Yuan and dollars never meet unless a dated [Rate] is given.
//   - [Span] is a quantity (hours, GB, a share) as low, likely, high;
//     [Estimate] is the same for money. Neither is ever NaN or infinite.
//   - [Price] is one quoted price with its place, source, date and claimant.
//     [AgeOf] grades the date; [BandOf] turns the believable prices of a card
//     into one estimate. Stale prices are shown and rank nothing.
//   - [CardHours], [Rent] and [HoursFor] answer the short question.
//     [Finish] prices the finished job, part by part; [PerUnit] prices one
//     image, clip, thousand steps or million tokens of it.
//   - [BreakEvenOf] and [BreakEven.Monthly] say whether a month pays, [Compare]
//     which of up to four offers finishes cheaper and where that flips.
//   - [PlanSpot] knows when an interruptible machine loses, [Transfer] when the
//     upload is longer than the run, [Runway] when the balance ends.
//
// Whatever cannot be computed is a [Problem]: a stable code and the field it
// is about, which the voice puts into words.
//
// Conventions. Hours, GB and seconds are float64, money is never. A month has
// 30 days (720 h) unless a longer one is asked about; no month has more than
// 744 h. Prices of machines are turned into prices of one card. Numbers that
// came from outside name their origin: "seed 000/002/004" are the three
// articles that the product started from, "decision table 6.2" and the like
// are the sections of our own tables built on them.
package cost
