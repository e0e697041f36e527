//go:build unix

package cellcmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// knowsKin reports whether this system tells which processes a process has started.
func knowsKin() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

// watchdogOf is the process that runs the command of a lock: the only one that lock has started.
func watchdogOf(t *testing.T, l *process) int {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, name := range stats {
		text, err := os.ReadFile(name) // the process may have ended
		_, rest, found := strings.Cut(string(text), ") ")
		if err == nil && found && strings.HasPrefix(rest[1:], fmt.Sprintf(" %d ", l.Process.Pid)) {
			return atoi(t, filepath.Base(filepath.Dir(name)))
		}
	}
	require.FailNow(t, "lock has no watchdog")
	return 0
}
