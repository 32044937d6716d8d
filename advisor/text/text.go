// Package text finds names, numbers and quantities in what people write, in
// Chinese, English and the mixture that most people really type.
//
// Reading happens in three layers, each usable alone:
//
//   - [Normal] brings a text into one form: half width, lower case, simplified
//     characters, digits for spoken digits (四零九零 is 4090). It keeps a map
//     back, so that every find can be shown as it was written.
//   - [Lexicon] finds known names, leftmost and longest, however their parts
//     are joined: "Qwen2.5 7B", "qwen 2.5-7b" and "QWEN2.5_7B" are one name.
//     Latin names stand alone (T4 is not in INT4); Chinese ones need no gap.
//   - [Quantities] reads numbers with their units (三天半, 5-7 days, 1.5T, 70亿,
//     两张, 720p), ranges, halves and sums, everywhere outside the names.
//
// What a quantity means is not decided here: 24G is 24 gigabytes, of disk or of
// a card; who reads the text knows. Words with a meaning are data and live in
// the rules; only the grammar of numbers and units is here, as tables.
package text
