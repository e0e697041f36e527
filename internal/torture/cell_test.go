//go:build unix

package torture

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

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

// No client reaches an unreachable replica, or hears of it, as the direction says, and all reach the others.
func TestAReplicaIsCutFromAllClients(t *testing.T) {
	for _, way := range []Way{In, Out, Both} {
		c := asleep(t, func(string, string, ...any) {})
		type call struct{ near, far net.Conn }
		calls := map[*server][]call{}
		for range 2 { // clients
			_, links, err := c.clientLinks()
			require.NoError(t, err)
			for i, s := range c.servers {
				ln, err := net.Listen("tcp", s.callAt)
				require.NoError(t, err)
				near, err := net.Dial("tcp", links[i].addr())
				require.NoError(t, err)
				far, err := ln.Accept()
				require.NoError(t, err)
				require.NoError(t, ln.Close())
				calls[s] = append(calls[s], call{near, far})
			}
		}
		arrives := func(want bool, from, to net.Conn) {
			_, err := from.Write([]byte("x"))
			require.NoError(t, err)
			patience := map[bool]time.Duration{true: 10 * time.Second, false: 20 * time.Millisecond}[want]
			require.NoError(t, to.SetReadDeadline(time.Now().Add(patience)))
			n, _ := to.Read(make([]byte, 1))
			require.Equal(t, want, n == 1, "%s", way)
		}
		c.cutClients(c.servers[1], way, true)
		for i, s := range c.servers {
			for _, k := range calls[s] {
				arrives(i != 1 || way == Out, k.near, k.far)
				arrives(i != 1 || way == In, k.far, k.near)
			}
		}
		c.cutClients(c.servers[1], way, false)
		for _, k := range calls[c.servers[1]] {
			arrives(true, k.near, k.far)
			arrives(true, k.far, k.near)
			k.near.Close()
			k.far.Close()
		}
	}
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
