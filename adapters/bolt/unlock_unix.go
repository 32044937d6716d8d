//go:build unix

package bolt

import (
	"os"
	"syscall"
)

// unlock gives up the lock on a file that is still mapped into memory, which
// closing it does not.
func unlock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
