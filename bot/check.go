package main

import (
	"fmt"
	"sync"

	"gpuadvisor/rules"
)

// checkCommand says whether the knowledge is complete and sound: every problem
// of every file at once, and the certificate that all answers a person can
// give lead to exactly one advice.
type checkCommand struct {
	JSON bool `name:"json" help:"${json}"`
}

func (c *checkCommand) Run(h *house) error {
	if h.rules == "" {
		return c.print(h, checkEmbedded())
	}
	fsys, err := rules.Folder(h.rules)
	if err != nil {
		return err
	}
	return c.print(h, rules.Check(fsys))
}

// checkEmbedded checks the rules that came with the program, once.
var checkEmbedded = sync.OnceValue(func() rules.Report { return rules.Check(rules.Embedded()) })

func (c *checkCommand) print(h *house, report rules.Report) error {
	if c.JSON {
		line, err := encode(report)
		if err != nil {
			return err
		}
		if _, err := h.out.Write(line); err != nil {
			return err
		}
	} else if _, err := fmt.Fprint(h.out, report); err != nil {
		return err
	}
	if !report.Sound() {
		return errPrinted
	}
	return nil
}
