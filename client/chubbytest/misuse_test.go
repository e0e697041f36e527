package chubbytest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/wal/vfs"
)

// verdict is a test that may fail without failing the one it is part of.
type verdict struct {
	testing.TB
	mu       sync.Mutex
	helpers  map[string]bool // functions that are helpers
	failures []string
	file     string // where the last failure was, as go test would print it
	cleanups []func()
	onError  func() // called for each failure; nil: nothing is
}

func (v *verdict) Helper() {
	pc, _, _, _ := runtime.Caller(1)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.helpers[runtime.FuncForPC(pc).Name()] = true
}

func (v *verdict) Errorf(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.failures = append(v.failures, fmt.Sprintf(format, args...))
	if v.onError != nil {
		v.onError()
	}
}

func (v *verdict) Fatalf(format string, args ...any) {
	v.Errorf(format, args...)
	pcs := make([]uintptr, 50)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if !v.helpers[f.Function] {
			v.file = f.File
			break
		}
		if !more {
			break
		}
	}
	runtime.Goexit()
}

func (v *verdict) Cleanup(f func()) { v.cleanups = append(v.cleanups, f) }

// judge runs a test to its end.
func judge(t *testing.T, test func(v *verdict)) *verdict {
	v := &verdict{TB: t, helpers: map[string]bool{}}
	var done sync.WaitGroup
	done.Go(func() { test(v) })
	done.Wait()
	for len(v.cleanups) > 0 {
		last := v.cleanups[len(v.cleanups)-1]
		v.cleanups = v.cleanups[:len(v.cleanups)-1]
		last()
	}
	return v
}

// A call that makes no sense fails the test where the call stands, and says what was wrong.
func TestWrongCallsFailTheTest(t *testing.T) {
	for want, call := range map[string]func(v *verdict, c *Cell){
		"Start: Options.Replicas is 10; 1 to 9":             func(v *verdict, _ *Cell) { Start(v, Options{Replicas: 10}) },
		"Start: Options.Replicas is -1; 1 to 9":             func(v *verdict, _ *Cell) { Start(v, Options{Replicas: -1}) },
		"Start: Options.Lease is 1ms; at least 100ms":       func(v *verdict, _ *Cell) { Start(v, Options{Lease: time.Millisecond}) },
		"Start: Options.Grace is -1s; above 0":              func(v *verdict, _ *Cell) { Start(v, Options{Grace: -time.Second}) },
		"Kill: there is no replica 0; the cell has the rep": func(_ *verdict, c *Cell) { c.Kill(0) },
		"Kill: replica 2 does not run":                      func(_ *verdict, c *Cell) { c.Kill(2); c.Kill(2) },
		"Restart: there is no replica 4":                    func(_ *verdict, c *Cell) { c.Restart(4) },
		"Restart: replica 3 runs; Kill it first":            func(_ *verdict, c *Cell) { c.Restart(3) },
		"Pause: replica 1 is paused":                        func(_ *verdict, c *Cell) { c.Pause(1); c.Pause(1) },
		"Pause: replica 1 does not run":                     func(_ *verdict, c *Cell) { c.Kill(1); c.Pause(1) },
		"Resume: replica 1 is not paused":                   func(_ *verdict, c *Cell) { c.Resume(1) },
		"Partition: there is no replica 4":                  func(_ *verdict, c *Cell) { c.Partition([]int{1, 4}) },
		"Partition: [[1 2] [2]] names replica 2 twice":      func(_ *verdict, c *Cell) { c.Partition([]int{1, 2}, []int{2}) },
		"CutClient: there is no replica -1":                 func(v *verdict, c *Cell) { c.CutClient(c.Client(v), -1) },
		"CutClient: the client is not one of this cell":     func(_ *verdict, c *Cell) { c.CutClient(&client.Client{}) },
		"HealClient: the client is not one of this cell":    func(_ *verdict, c *Cell) { c.HealClient(&client.Client{}) },
		`ClientAs: "#" is not a principal`:                  func(v *verdict, c *Cell) { c.ClientAs(v, "#") },
		"Client: client: ready: invalid: WithToken, WithPrincipal: only": func(v *verdict, c *Cell) {
			c.Client(v, client.WithToken("t"), client.WithPrincipal("bob"))
		},
		"Client: client: ready: invalid: session: Window 1048576": func(v *verdict, c *Cell) {
			c.Client(v, client.WithConfig(client.Config{Window: 1 << 20}))
		},
	} {
		v := judge(t, func(v *verdict) {
			call(v, Start(v, Options{Replicas: 3}))
		})
		require.Len(t, v.failures, 1, want)
		require.Contains(t, v.failures[0], "chubbytest: "+want)
		require.True(t, strings.HasSuffix(v.file, "misuse_test.go"), "%s: the failure is at %s", want, v.file)
	}
}

// Without a master, Master says what each replica does.
func TestMasterSaysWhyThereIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, call := range []func(c *Cell, ctx context.Context) int{(*Cell).Master, (*Cell).Resign} {
			v := judge(t, func(v *verdict) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				c := Start(v, Options{})
				c.Kill(1)
				c.Pause(2)
				call(c, ctx)
			})
			require.Len(t, v.failures, 1)
			require.Contains(t, v.failures[0], "no master among 3 replicas: context deadline exceeded: replica 1: does not run; replica 2: is paused; replica 3:")
		}
	})
}

// A replica that stops by itself fails the test: here its disk has an error.
func TestAReplicaThatStopsByItselfFailsTheTest(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	v := judge(t, func(v *verdict) {
		c := Start(v, Options{Replicas: 1})
		v.onError = cancel
		c.disks[0].mu.Lock()
		c.disks[0].mem.SetFault(func(call vfs.Call) (f vfs.Fault) {
			if call.Op == vfs.OpSyncData {
				f.Err = vfs.ErrIO
			}
			return f
		})
		c.disks[0].mu.Unlock()
		_ = c.Client(v).Put(ctx, "a", "1")
	})
	require.Len(t, v.failures, 1)
	require.Contains(t, v.failures[0], "replica 1 stopped by itself")
}
