package simtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/scenario"
)

// cast returns a Program with two writers and a janitor, whose turns call f.
func cast(f func(p scenario.Program)) Program {
	turn := func(ctx context.Context, p scenario.Program) error {
		f(p)
		return p.Sleep(ctx, time.Second/4)
	}
	return Program{
		Roles:   []Role{{Name: "writer", Clients: 2, Turn: turn}, {Name: "head janitor", Programs: 1, Turn: turn}},
		Options: Options{Seeds: 1, Replicas: 1, Duration: 2 * time.Second, Faults: []string{}, Set: []string{"programs=3"}},
	}
}

// The machines of each role run its programs, as many as the role allows.
func TestEachMachineRunsTheProgramsOfItsRole(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	cast(func(p scenario.Program) {
		mu.Lock()
		defer mu.Unlock()
		seen[scenario.NameOf(p)] = true
	}).Run(t)
	want := map[string]bool{"program 1 of c3 (head janitor)": true}
	for _, c := range []int{1, 2} {
		for i := range 3 {
			want[fmt.Sprintf("program %d of c%d (writer)", i+1, c)] = true
		}
	}
	require.Equal(t, want, seen)
}

// The report, the story, the trace and the page of a failing seed name the roles.
func TestReportsNameRoles(t *testing.T) {
	t.Chdir(t.TempDir())
	x := cast(func(p scenario.Program) {
		if p.Note("tidies shelf 7"); p.Role() == "head janitor" {
			p.World().Break("J1", "shelf 7 is empty: %s", scenario.NameOf(p))
		}
	})
	l := listen(t, func(l *listener) { runWith(l, x.options(l), flags{out: "out", shrink: time.Minute}, cell.Run) })
	require.Len(t, l.errors, 1)
	require.Contains(t, l.errors[0], "J1 broke: shelf 7 is empty: program 1 of c3 (head janitor)\n")
	require.Contains(t, l.errors[0], "workload program (head janitor c3).\n", "the writers are not needed")
	require.Contains(t, l.errors[0], "c3 (program 1, head janitor): note: tidies shelf 7\n")

	dir := filepath.Join("out", t.Name(), "seed-1")
	trace, err := os.ReadFile(filepath.Join(dir, runner.TraceFile))
	require.NoError(t, err)
	require.Contains(t, string(trace), "# roles: writer c1 and c2; head janitor c3\n")
	require.Contains(t, string(trace), "(program 1, head janitor): note: tidies shelf 7\n")
	html, err := os.ReadFile(filepath.Join(dir, runner.RunPageFile))
	require.NoError(t, err)
	require.True(t, bytes.Contains(html, []byte(`"name":"c3, head janitor"`)), "the lane has the role")

	file := filepath.Join(dir, runner.CaseFile)
	again := listen(t, func(l *listener) { x.Replay(l, file) })
	require.Contains(t, again.errors[0], "c3 (program 1, head janitor)")
	x.Roles[0].Clients = 1
	again = listen(t, func(l *listener) { x.Replay(l, file) })
	require.Contains(t, again.fatal, "has 3 client machines, and the Roles have 2: restore the Roles, or write the case again")
}

// L1 names the role of a program that does not end.
func TestL1NamesTheRoleOfAProgramThatDoesNotEnd(t *testing.T) {
	x := cast(func(p scenario.Program) {
		if p.Healed() && p.Role() == "head janitor" {
			_ = p.Sleep(context.Background(), time.Hour)
		}
	})
	x.Kept = t.TempDir()
	l := listen(t, func(l *listener) { runWith(l, x.options(l), flags{}, cell.Run) })
	require.Contains(t, l.errors[0], " calls were answered: c3 (program 1, head janitor) waits in simtest.")
}

// A list of roles in words leaves out idle machines.
func TestRolesInWords(t *testing.T) {
	o := cast(func(scenario.Program) {}).options(t)
	words := func(script *plan.Script) string {
		p := o.plan()
		p.Script = script
		made := plan.New(p)
		return plan.RolesInWords(&made)
	}
	require.Equal(t, "writer c1 and c2; head janitor c3", words(nil))
	require.Equal(t, "writer c2", words(&plan.Script{Idle: []int{1, 3}}))
	require.Empty(t, words(&plan.Script{Idle: []int{1, 2, 3}}))
}
