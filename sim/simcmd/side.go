package simcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// side is one side of a comparison.
type side struct {
	given    string       // on the command line
	what     string       // a diff, a commit or a program; "": this program
	settings []string     // as key=value
	options  plan.Options // for this program, without a seed
	program  string       // file of another program; "": this program
}

// thisProgram is the name of this program as a side.
const thisProgram = "this"

// parseSide reads a side: settings with commas, after an optional program, diff or commit; or a file of settings. The
// settings of both come before those of the side.
func (a *app) parseSide(given string, both []string) (side, error) {
	s := side{given: given}
	settings := splitSettings(given)
	if len(settings) == 0 {
		return s, cli.Usage("%q is no side; `this` is this program as it is", given)
	}
	if !strings.Contains(settings[0], "=") {
		s.what, settings = settings[0], settings[1:]
	}
	if s.what == thisProgram {
		s.what = ""
	}
	if s.isSettingsFile() {
		text, err := os.ReadFile(s.what)
		if err != nil {
			return s, cli.Usage("%v", err)
		}
		settings, s.what = append(linesOf(string(text)), settings...), ""
	}
	s.settings = append(slices.Clone(both), settings...)
	if s.what != "" {
		return s, nil // the other program says what is wrong with its settings
	}
	var err error
	if s.options, err = a.settings(s.settings); err != nil {
		if strings.HasPrefix(err.Error(), given+": ") {
			return s, cli.Usage("%v", err)
		}
		return s, cli.Usage("%s: %v", given, err)
	}
	return s, nil
}

// splitSettings splits a text at commas and blanks. A part without "=" belongs to the value before it, as in
// faults=crash,kill.
func splitSettings(text string) []string {
	var all []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' }) {
		if n := len(all); n > 0 && !strings.Contains(part, "=") && strings.Contains(all[n-1], "=") {
			all[n-1] += "," + part
		} else {
			all = append(all, part)
		}
	}
	return all
}

// linesOf returns the settings of a file: key=value, one or more on each line. # begins a comment.
func linesOf(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		all = append(all, splitSettings(line)...)
	}
	return all
}

// isDiff reports whether the name of a side is that of a diff.
func (s *side) isDiff() bool {
	return slices.Contains([]string{".diff", ".patch"}, filepath.Ext(s.what))
}

// isSettingsFile reports whether a side is a file that is neither a diff nor a program.
func (s *side) isSettingsFile() bool {
	info, err := os.Stat(s.what)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 == 0 && !s.isDiff()
}

// settings returns the options of a cell from settings key=value. A key is a flag of `chubby sim` that configures
// cells, or a tunable.
func (a *app) settings(all []string) (plan.Options, error) {
	f := cellFlags{faults: "swarm"}
	number := func(to *int) func(string) error {
		return func(v string) (err error) {
			if *to, err = strconv.Atoi(v); err != nil {
				err = errors.New("not a whole number")
			}
			return err
		}
	}
	word := func(to *string) func(string) error {
		return func(v string) error { *to = v; return nil }
	}
	keys := map[string]func(string) error{
		"replicas": number(&f.replicas), "clients": number(&f.clients), "faults": word(&f.faults), "workload": word(&f.workload),
		"judge":    word(&f.judge),
		"duration": func(v string) (err error) { f.length, err = time.ParseDuration(v); return err },
	}
	for _, s := range all {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return plan.Options{}, fmt.Errorf("%q is no setting: key=value", s)
		}
		if set := keys[key]; set == nil {
			f.set = append(f.set, s)
		} else if err := set(value); err != nil {
			return plan.Options{}, fmt.Errorf("%s: %w", s, err)
		}
	}
	return f.options(a.o.With)
}

// buildSide builds the program of a side below dir. It does nothing for this program, and only finds a built program.
func (a *app) buildSide(ctx context.Context, s *side, dir string) error {
	if s.what == "" {
		return nil
	}
	info, err := os.Stat(s.what)
	switch {
	case err == nil && info.Mode().IsRegular() && !s.isDiff():
		s.program, err = filepath.Abs(s.what)
	case a.o.Program == nil:
		err = fmt.Errorf("%q is neither a setting (key=value), nor a file of settings, nor a program; diffs and commits are built by `chubby sim compare`", s.what)
	default:
		a.Say("building %s", s.what)
		s.program, err = a.o.Program(ctx, dir, s.what)
	}
	switch {
	case ctx.Err() != nil:
		return cli.Interrupted()
	case err != nil:
		return cli.Usage("%v", err)
	}
	return nil
}

// measure runs one seed of a side, in this process or by `measure` of the other program.
func (a *app) measure(ctx context.Context, s *side, seed uint64) (experiment.Sample, error) {
	if s.program == "" {
		o := s.options
		o.Seed = seed
		return experiment.Measure(runner.Guard(a.simulate), o), nil
	}
	cmd := exec.CommandContext(ctx, s.program, append([]string{"sim", "measure", strconv.FormatUint(seed, 10)}, s.settings...)...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	var sample experiment.Sample
	err := cmd.Run()
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &sample)
	}
	if err != nil {
		text := strings.TrimSpace(said.String())
		if exit := new(exec.ExitError); errors.As(err, &exit) && !exit.Exited() {
			return sample, fmt.Errorf("%s: seed %d cannot be measured: its process ended by a %w", s.given, seed, err)
		}
		if strings.Contains(text, `unknown command "measure"`) || text == "" {
			text = "it was built before programs could be compared, or is none of `chubby`"
		}
		return sample, fmt.Errorf("%s: seed %d cannot be measured: %w: %s", s.given, seed, err, text)
	}
	if sample.Seed != seed {
		return sample, errors.New(s.given + " measures another seed than it was asked for")
	}
	return sample, nil
}
