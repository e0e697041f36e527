package cellcmd

import (
	"os"
	"os/signal"
	"syscall"
)

// outliveReaders has this process go on when the program that reads its stdout or stderr has ended: a write fails then,
// and is not the end of a replica, or of the command under a lock. Go ends a process at the first such write, unless
// SIGPIPE is wanted. A program that this one starts has the signal as usual, as it would not if it were ignored here.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
