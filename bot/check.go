package main

import (
	"fmt"

	"gpuadvisor/rules"
)

// checkCommand says whether the knowledge is complete and sound: every problem
// of every file at once, and the certificate that all answers a person can
// give lead to exactly one advice.
type checkCommand struct {
	JSON bool `name:"json" help:"${json}"`
}

func (c *checkCommand) Run(h *house) error {
	fsys := rules.Embedded()
	if h.rules != "" {
		var err error
		if fsys, err = rules.Folder(h.rules); err != nil {
			return err
		}
	}
	report := rules.Check(fsys)
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
