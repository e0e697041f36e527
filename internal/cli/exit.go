package cli

import (
	"errors"
	"fmt"
)

// Exit codes. They are part of what the programs promise.
const (
	ExitClean       = 0
	ExitBroken      = 1   // a property does not hold, or simulated code crashed
	ExitUsage       = 2   // bad flags, unknown names, unreadable or damaged files
	ExitUndecided   = 3   // a checker gave up, or too few seeds counted
	ExitDiffers     = 4   // same seed, another history
	ExitInternal    = 5   // a fault of the program
	ExitInterrupted = 130 // by a signal; what was found so far is printed
)

// Exit codes of the commands that call a cell. They have ExitClean, ExitUsage, ExitInternal
// and ExitInterrupted in common with the others.
const (
	ExitRefused    = 1  // the cell refused the call, for a reason that has no code of its own
	ExitNotFound   = 6  // there is no such node, or it was deleted
	ExitConflict   = 7  // exists, was changed meanwhile, lock held, stale sequencer
	ExitTimeout    = 8  // the cell did not answer in time
	ExitPermission = 9  // the caller lacks a right, or did not prove its identity
	ExitLost       = 10 // the session ended, and with it the lock or the watch
)

// CellExitHelp explains the exit codes of commands that call a cell in help texts.
const CellExitHelp = `Exit codes:
    0  done
    1  refused by the cell: not a directory, directory not empty, quota and the like
    2  usage: bad flags, names or files
    5  internal error
    6  not found, or deleted
    7  conflict: exists, changed meanwhile, lock held, stale sequencer
    8  timeout: the cell did not answer in time; a write may have been executed
    9  permission: the caller lacks a right, or did not prove its identity
   10  lost: the session with the cell ended, and with it the lock or the watch
  130  interrupted`

// ExitHelp explains the exit codes in help texts.
const ExitHelp = `Exit codes:
    0  clean
    1  a property or invariant broke, or simulated code crashed
    2  usage: bad flags, unknown names, unreadable or damaged files
    3  undecided: a checker gave up, or too few seeds did enough to count
    4  same seed, different history
    5  internal error
  130  interrupted; what was found so far is printed`

// BothExitHelp sets the codes of all commands side by side.
const BothExitHelp = `Exit codes of the commands that
      simulate, check, look into files           call a cell
    0  clean                                     done
    1  a property or invariant broke, or         refused by the cell
       simulated code crashed
    2  usage: bad flags, unknown names,          usage: bad flags, names or files
       unreadable or damaged files
    3  undecided                                 -
    4  same seed, different history              -
    5  internal error                            internal error
    6  -                                         not found, or deleted
    7  -                                         conflict: exists, changed, lock held
    8  -                                         timeout: a write may have been executed
    9  -                                         permission
   10  -                                         lost: session, and with it lock or watch
  130  interrupted                               interrupted`

// Failure is an error with the exit code it leads to. Without Err it has been told
// already.
type Failure struct {
	Code int
	Err  error
}

// Error is what is told on stderr, "" if it was told already.
func (f *Failure) Error() string {
	if f.Err == nil {
		return ""
	}
	return f.Err.Error()
}

// Unwrap is the error as it came, for errors.Is and errors.As; nil without text.
func (f *Failure) Unwrap() error { return f.Err }

// Exit ends a command with a code and nothing more to say; nil for ExitClean.
func Exit(code int) error {
	if code == ExitClean {
		return nil
	}
	return &Failure{Code: code}
}

// Usage is an error of the user, in words that say what to do.
func Usage(format string, args ...any) error {
	return &Failure{ExitUsage, fmt.Errorf(format, args...)}
}

// Internal is an error of the program or of the machine it runs on.
func Internal(err error) error { return &Failure{ExitInternal, err} }

// Interrupted is the end of a command by a signal, with nothing to show for it.
func Interrupted() error { return &Failure{ExitInterrupted, errors.New("interrupted")} }

// CodeOf is the exit code that an error of a command leads to. An error without a code
// is cobra's own: a flag or a command that does not exist.
func CodeOf(err error) int {
	var f *Failure
	switch {
	case err == nil:
		return ExitClean
	case errors.As(err, &f):
		return f.Code
	}
	return ExitUsage
}
