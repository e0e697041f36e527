// Package watchdog is concurrent: it runs a command that must be dead by an instant which is put off again and again.
//
// chubby lock runs its command by it. A second process of the same program, the watchdog, is the parent of the
// command. It ends the command if chubby lock was killed, or is stopped, and the lock may be another client's soon.
// On Windows there is no watchdog.
//
// Reading order:
//
//	process.go    the command, as chubby lock sees it; process_*.go: how it reaches the watchdog
//	watchdog.go   the process that runs the command; fuse.go: when it ends it
//	kin_linux.go  what the command has started
package watchdog
