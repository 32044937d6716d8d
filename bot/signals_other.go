//go:build !unix

package main

import "os"

// hangups are the signals that mean: read the rules again. There is none here;
// an operator writes /admin reload.
var hangups []os.Signal
