//go:build unix

package main

import (
	"os"
	"syscall"
)

// hangups are the signals that mean: read the rules again.
var hangups = []os.Signal{syscall.SIGHUP}
