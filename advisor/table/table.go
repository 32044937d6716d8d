// Package table evaluates decision tables.
package table

// Table is a decision table: ordered rows "when these inputs, then this".
type Table struct {
	ID      string   `yaml:"id"`
	Hit     string   `yaml:"hit"` // first, map or collect
	Inputs  []Column `yaml:"inputs"`
	Outputs []Column `yaml:"outputs"`
	Rows    []Row    `yaml:"rows"`
}

// Column is an input or an output with its closed set of values.
type Column struct {
	Name   string   `yaml:"name"`
	Values []string `yaml:"values,flow"`
}

// Row is one rule.
type Row struct {
	ID   string              `yaml:"id"`
	When map[string][]string `yaml:"when,omitempty"` // an input that is not named may have any value
	Then map[string]string   `yaml:"then"`
}
