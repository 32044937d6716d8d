//go:build race

package rules

// raced tells that the race detector watches.
const raced = true
