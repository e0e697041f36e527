//go:build unix

package cellcmd

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// knowsKin reports whether this system tells which processes a process has started.
func knowsKin() bool {
	_, ok := kin(os.Getpid(), nil)
	return ok
}

// watchdogOf is the process that runs the command of a lock.
func watchdogOf(t *testing.T, l *process) int {
	all, ok := kin(l.Process.Pid, nil)
	require.True(t, ok)
	require.NotEmpty(t, all)
	return all[0].pid
}
