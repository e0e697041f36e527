package simtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// worldFormat grows when programs can no longer read earlier manifests of Worlds.
const worldFormat = 1

// worldManifest describes a run of a World, precisely enough to run it again with the same Scenario.
// In the directory of a failing seed it has all faults; in the file of a case, those that are
// needed. In the directory of a test it has no Seed, and the hashes of all seeds.
type worldManifest struct {
	Format    int               `json:"world_format"`
	Test      string            `json:"test"`
	Build     runner.Build      `json:"build"`
	Seed      uint64            `json:"seed,omitempty"`
	Judge     string            `json:"judge,omitempty"`
	Faults    []string          `json:"faults,omitempty"`  // names of all faults of the Scenario
	Without   []int             `json:"without,omitempty"` // the places in Faults of those that are left out
	Strikes   *[]sim.Strike     `json:"strikes,omitempty"` // of the other faults; nil: all
	Breach    *cell.Breach      `json:"breach,omitempty"`
	Stack     string            `json:"stack,omitempty"`
	Page      string            `json:"page_error,omitempty"` // why there is no history.html
	Hashes    []runner.SeedHash `json:"hashes"`
	Reproduce string            `json:"reproduce,omitempty"` // the command that runs the whole seed again
}

// manifest describes a run of a part of a seed.
func (x World) manifest(test string, of part, r *cell.Result) worldManifest {
	m := worldManifest{
		Format: worldFormat, Test: test, Build: runner.ThisBuild(), Seed: r.Seed, Judge: x.Judge, Without: of.off, Strikes: of.script,
		Breach: r.Breach, Stack: r.Stack, Hashes: []runner.SeedHash{hashOf(r)}, Reproduce: again(test, r.Seed),
	}
	if !r.Internal { // otherwise Scenario may panic
		m.Faults = x.faults(r.Seed)
	}
	return m
}

// faults returns the names of the faults of a seed.
func (x World) faults(seed uint64) []string {
	var names []string
	for _, f := range x.Scenario(seed).Faults {
		names = append(names, f.Name())
	}
	return names
}

func (m *worldManifest) write(file string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// readWorld reads the manifest of a seed of a World, or the file of a case.
func readWorld(file string) (m worldManifest, err error) {
	if info, err := os.Stat(file); err != nil || info.IsDir() {
		file = filepath.Join(file, runner.ManifestFile)
	}
	refuse := func(format string, args ...any) (worldManifest, error) {
		return m, fmt.Errorf("%s %w: %s", file, runner.ErrManifest, fmt.Sprintf(format, args...))
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse("no such file; name the directory of one failing seed below that of -sim.out, or a case in it (shrunk.json)")
	}
	if err != nil {
		return refuse("%v", err)
	}
	var head struct {
		World int `json:"world_format"`
		Cell  int `json:"format"`
	}
	switch err := json.Unmarshal(text, &head); {
	case err != nil:
		return refuse("it is damaged: %v", err)
	case head.Cell > 0:
		return refuse("it is of a cell, not of a World; Replay, or the method of a Program, runs it")
	case head.World == 0:
		return refuse("it is no manifest and no case of a World")
	case head.World != worldFormat:
		return refuse("it has format %d, this package reads %d; write it again with -sim.out", head.World, worldFormat)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return refuse("it is damaged: %v", err)
	}
	if len(m.Hashes) != 1 || m.Hashes[0].Seed != m.Seed {
		return refuse("it is that of many seeds; name the directory of one seed below it")
	}
	return m, nil
}

// part returns the part of the seed that the manifest describes, or an error if the Scenario has other faults.
func (m *worldManifest) part(x *World) (part, error) {
	names := x.faults(m.Seed)
	if !slices.Equal(names, m.Faults) {
		return part{}, fmt.Errorf("the Scenario of seed %d has the faults %v, and had %v when the file was written: restore them, or write the file again with -sim.out", m.Seed, names, m.Faults)
	}
	isFault := func(i int) bool { return i >= 0 && i < len(names) }
	damaged := slices.ContainsFunc(m.Without, func(i int) bool { return !isFault(i) })
	if m.Strikes != nil {
		damaged = damaged || slices.ContainsFunc(*m.Strikes, func(k sim.Strike) bool { return !isFault(k.Fault) || k.Draws == nil })
	}
	if damaged {
		return part{}, errors.New("it is damaged: it names a fault that the Scenario does not have, or a strike without draws")
	}
	return part{off: m.Without, script: m.Strikes}, nil
}

// Replay runs a seed of the World, or its minimized case, from what -sim.out has written: the
// directory of a failing seed, or shrunk.json in it. If anything breaks, Replay fails the test and
// tells how. A case below testdata thus keeps a bug from coming back, also if later versions of the
// protocol need other seeds to find it. The Scenario must have the same faults as when the file was
// written, and Judge must name the same property. It runs one seed, whatever the flags say.
func (x World) Replay(t testing.TB, file string) {
	t.Helper()
	if x.Scenario == nil {
		t.Fatalf("simtest: the World has no Scenario")
	}
	m, err := readWorld(file)
	if err == nil && m.Judge != x.Judge {
		err = fmt.Errorf("%s %w: it was written with Judge %q, and Judge of the World is %q: make them equal", file, runner.ErrManifest, m.Judge, x.Judge)
	}
	var of part
	if err == nil {
		if of, err = m.part(&x); err != nil {
			err = fmt.Errorf("%s %w: %w", file, runner.ErrManifest, err)
		}
	}
	if err != nil {
		t.Fatalf("simtest: %v", err)
	}
	r := runner.Guard(func(o plan.Options) cell.Result { return x.with(o, of) })(plan.Options{Seed: m.Seed})
	if r.Breach == nil && !r.Undecided {
		if m.Breach != nil {
			t.Logf("%s: clean; when it was written, %s", file, runner.Verdict(&cell.Result{Breach: m.Breach}))
		}
		return
	}
	lines := []string{runner.Verdict(&r)}
	if !r.Internal {
		w := x.watch(t.Name(), m.Seed, of, io.Discard)
		lines = append(lines, w.story())
	} else {
		lines = append(lines, r.Stack)
	}
	t.Errorf("%s: %s", file, strings.TrimRight(strings.Join(lines, "\n"), "\n"))
}
