package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Outcome is the outcome of the hunt for a planted bug.
type Outcome string

// The outcomes.
const (
	Caught   Outcome = "caught"   // a numbered property or invariant broke
	Crashed  Outcome = "crashed"  // only panics that are nothing numbered
	Survived Outcome = "survived" // nothing broke
	Unbuilt  Outcome = "unbuilt"  // it could not be built or run, Text has the reason
)

// Catch is the outcome of one hunt.
type Catch struct {
	ID       string  `json:"id"`
	Title    string  `json:"title"`
	Priority string  `json:"priority"`
	Control  bool    `json:"control"`
	Outcome  Outcome `json:"outcome"`
	Property string  `json:"property,omitempty"` // that broke
	// Conformance says that a check of conformance ended the hunt: the bug breaks a rule
	// of our implementation that serves Property.
	Conformance bool `json:"conformance,omitempty"`

	Expected bool          `json:"expected"`          // the header names the property
	Seed     uint64        `json:"seed"`              // the seed that broke it
	Seeds    uint64        `json:"seeds"`             // seeds simulated until then
	Crashes  uint64        `json:"crashes"`           // of them, ended by a panic that is nothing numbered
	Unclean  uint64        `json:"unclean,omitempty"` // of them, broken without the bug, too
	Dirty    uint64        `json:"dirty,omitempty"`   // the last of those
	Elapsed  time.Duration `json:"elapsed_ns"`        // of simulation, without the build
	CPU      time.Duration `json:"cpu_ns"`            // processor time of the simulator
	Text     string        `json:"text,omitempty"`    // what was seen
}

// IsWrong reports that the suite fails by this hunt: a bug of priority A was not caught, a
// control was caught, or a bug does not build.
func (c *Catch) IsWrong() bool {
	switch {
	case c.Outcome == Unbuilt:
		return true
	case c.Control:
		return c.Outcome != Survived
	}
	return c.Priority == "A" && c.Outcome != Caught
}

// Hunt looks for planted bugs with the default swarm: no option names the bug.
type Hunt struct {
	Root  string        // of the module
	Dir   string        // for built programs, may be thrown away afterwards
	From  uint64        // first seed
	Seeds uint64        // counted seeds until a bug counts as survivor
	For   time.Duration // real time until then; 0: no bound
	CPU   time.Duration // processor time until then; 0: no bound
	Jobs  int           // of the simulator; 0: its default
	Args  []string      // further arguments of `chubby sim`
	Clean *Clean        // the program without a bug, which judges catches; nil: none does
}

// Run builds a mutant and simulates it until something numbered breaks or the
// hunt's bounds are reached. A panic that is nothing numbered is counted and the
// hunt goes on behind it, as it does behind a seed that is not clean without the bug.
// The error is ctx's when that ended the hunt.
func (h Hunt) Run(ctx context.Context, m Mutant) (Catch, error) {
	var c Catch
	err := h.Plant(ctx, m, func(chase Chase) (err error) {
		c, err = chase(ctx, h)
		return err
	})
	return c, err
}

// Chase is a hunt for a mutant that is built already: by h, but for its Root and
// Dir. The error is ctx's when that ended it.
type Chase func(ctx context.Context, h Hunt) (Catch, error)

// Plant builds a mutant for several chases with one program. A mutant that
// cannot be built is Unbuilt in each of them. The program is gone when Plant
// returns; its error is that of chases, or ctx's.
func (h Hunt) Plant(ctx context.Context, m Mutant, chases func(Chase) error) error {
	program := filepath.Join(h.Dir, m.ID+".bin")
	unbuilt := m.Build(ctx, h.Root, h.Dir, program)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := chases(func(ctx context.Context, h Hunt) (Catch, error) { return h.one(ctx, m, program, unbuilt) })
	if unbuilt == nil {
		err = errors.Join(err, os.Remove(program))
	}
	return err
}

// one is one chase.
func (h Hunt) one(ctx context.Context, m Mutant, program string, err error) (Catch, error) {
	c := Catch{ID: m.ID, Title: m.Title, Priority: m.Priority, Control: m.Control, Outcome: Survived}
	if err == nil {
		err = h.chase(ctx, program, &c)
	}
	if ctx.Err() != nil {
		return c, ctx.Err()
	}
	if err != nil {
		c.Outcome, c.Text = Unbuilt, err.Error()
	}
	for _, p := range m.Properties {
		c.Expected = c.Expected || c.Property != "" && p == c.Property
	}
	return c, nil
}

// mostCrashes is how many panics a hunt goes on behind.
const mostCrashes = 20

// portion is how many counted seeds are run at a time where processor time is
// bounded: it is known only of a program that has ended.
const portion = 16

func (h Hunt) chase(ctx context.Context, program string, c *Catch) error {
	began := time.Now()
	defer func() { c.Elapsed = time.Since(began) }()
	from, counted := h.From, uint64(0)
	for c.Crashes < mostCrashes {
		left := h.For - time.Since(began)
		if h.For > 0 && left <= 0 || h.CPU > 0 && c.CPU >= h.CPU || h.Seeds > 0 && counted >= h.Seeds {
			return nil
		}
		r, cpu, err := h.simulate(ctx, program, from, h.seeds(counted), left)
		c.CPU += cpu
		if err != nil {
			return err
		}
		c.Seeds += r.Totals.Seeds
		counted += r.Totals.Counted
		from += r.Totals.Seeds
		if len(r.Failures) == 0 {
			if h.CPU == 0 || r.Totals.Seeds == 0 {
				return nil
			}
			continue
		}
		f := r.Failures[0]
		from = f.Seed + 1
		if h.Clean != nil {
			clean, err := h.Clean.isClean(ctx, h, f.Seed)
			if err != nil {
				return err
			}
			if !clean {
				c.Unclean, c.Dirty = c.Unclean+1, f.Seed
				continue
			}
		}
		c.Seed, c.Text = f.Seed, f.Text
		if f.Property != "" {
			c.Outcome, c.Property, c.Conformance = Caught, f.Property, f.Conformance
			return nil
		}
		c.Outcome, c.Crashes = Crashed, c.Crashes+1
	}
	return nil
}

// seeds is how many counted seeds to ask for when so many were seen; 0: any number.
func (h Hunt) seeds(counted uint64) uint64 {
	switch {
	case h.CPU > 0 && h.Seeds > 0:
		return min(portion, h.Seeds-counted)
	case h.CPU > 0:
		return portion
	case h.Seeds > 0:
		return h.Seeds - counted
	}
	return 0
}

// run is the part of the JSON form of `chubby sim` that a hunt reads.
type run struct {
	Totals struct {
		Seeds   uint64 `json:"seeds"`
		Counted uint64 `json:"counted"`
	} `json:"totals"`
	Failures []struct {
		Seed     uint64 `json:"seed"`
		Property string `json:"property"`
		// Conformance is absent from reports of older programs.
		Conformance bool   `json:"conformance"`
		Text        string `json:"text"`
	} `json:"failures"`
}

// hasReport reports that the simulator writes a report when it ends with this code. A panic
// of its own, 5, is in it like a crash: a bug may well confuse a checker.
func hasReport(code int) bool { return code == 1 || code == 3 || code == 5 }

// hangs is how much longer than its processor time may last a portion of seeds
// may take before the bug counts as one that hangs the program.
const hangBound = 5 * time.Minute

func (h Hunt) simulate(ctx context.Context, program string, from, seeds uint64, left time.Duration) (run, time.Duration, error) {
	args := []string{"sim", "--max-failures", "1", "-o", "json", "--from", strconv.FormatUint(from, 10)}
	if seeds > 0 {
		args = append(args, "--seeds", strconv.FormatUint(seeds, 10))
	}
	if h.For > 0 {
		args = append(args, "--for", left.String())
	}
	if h.Jobs > 0 {
		args = append(args, "--jobs", strconv.Itoa(h.Jobs))
	}
	if h.CPU > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, h.CPU+hangBound)
		defer stop()
	}
	cmd := exec.CommandContext(ctx, program, append(args, h.Args...)...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var cpu time.Duration
	if s := cmd.ProcessState; s != nil {
		cpu = s.UserTime() + s.SystemTime()
	}
	var r run
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return r, cpu, fmt.Errorf("the simulator with this bug had not ended after %v", h.CPU+hangBound)
	case err != nil && (!errors.As(err, &exit) || !hasReport(exit.ExitCode()) || out.Len() == 0):
		return r, cpu, fmt.Errorf("the simulator with this bug ended badly: %w: %s", err, lastError(said.String()))
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return r, cpu, fmt.Errorf("the simulator with this bug wrote no report: %w", err)
	}
	return r, cpu, nil
}

// lastError is the most useful line of what a program wrote to stderr.
func lastError(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for _, l := range lines {
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			return l
		}
	}
	return lines[len(lines)-1]
}
