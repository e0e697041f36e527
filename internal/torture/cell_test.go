//go:build unix

package torture

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A replica that a fault has killed is started again at once: its end belongs to the fault, however
// late it is looked at.
func TestAReplicaThatAFaultKilledHasNotEndedByItself(t *testing.T) {
	var found atomic.Pointer[string]
	c := asleep(t, func(property, format string, args ...any) {
		text := property + ": " + fmt.Sprintf(format, args...)
		found.Store(&text)
	})
	s := c.servers[0]
	var over atomic.Bool
	defer over.Store(true)
	for range 8 { // what waits for the end of a process does not run at once
		go func() {
			for !over.Load() {
			}
		}()
	}
	for range 30 {
		require.NoError(t, c.start(s))
		p := s.excuse()
		p.kill()
		<-p.ended
	}
	require.NoError(t, c.start(s))
	if text := found.Load(); text != nil {
		t.Fatal(*text)
	}
}

// A replica that no fault has to do with may not end.
func TestAReplicaThatEndsByItselfIsFound(t *testing.T) {
	found := make(chan string, 1)
	c := asleep(t, func(property, _ string, _ ...any) { found <- property })
	require.NoError(t, c.start(c.servers[0]))
	c.servers[0].process().kill()
	require.Equal(t, "S17", <-found)
}

// asleep is a cell whose replicas sleep.
func asleep(t *testing.T, broken func(property, format string, args ...any)) *cell {
	program := filepath.Join(t.TempDir(), "sleeper")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o700))
	c, err := newCell(&Config{Dir: t.TempDir(), Replicas: 3, Server: program}, broken)
	t.Cleanup(c.stop)
	require.NoError(t, err)
	return c
}
