// Package text finds names, numbers and units in what people write.
package text

// Lexicon finds known names in a text, longest match first.
type Lexicon struct{}
