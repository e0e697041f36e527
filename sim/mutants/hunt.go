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

// Outcome is what became of a planted bug.
type Outcome string

// The outcomes.
const (
	Caught   Outcome = "caught"   // a numbered property or invariant broke
	Crashed  Outcome = "crashed"  // only panics that are nothing numbered
	Survived Outcome = "survived" // nothing happened
	Unbuilt  Outcome = "unbuilt"  // it could not be built or run, Text says why
)

// Catch is the outcome of one hunt.
type Catch struct {
	ID       string        `json:"id"`
	Title    string        `json:"title"`
	Priority string        `json:"priority"`
	Control  bool          `json:"control"`
	Outcome  Outcome       `json:"outcome"`
	Property string        `json:"property,omitempty"` // that broke
	Expected bool          `json:"expected"`           // it is one the header names
	Seed     uint64        `json:"seed"`               // that broke it
	Seeds    uint64        `json:"seeds"`              // simulated until then
	Crashes  uint64        `json:"crashes"`            // of them, ended by a panic that is nothing numbered
	Elapsed  time.Duration `json:"elapsed_ns"`         // of simulation, without the build
	Text     string        `json:"text,omitempty"`     // what was seen
}

// Wrong says that the suite fails by this: a bug of priority A was not caught, a
// control was not left alone, or a bug is not what its diff says.
func (c *Catch) Wrong() bool {
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
	Jobs  int           // of the simulator; 0: its default
	Args  []string      // further arguments of `chubby sim`
}

// Run builds a mutant and simulates it until something numbered breaks or the
// hunt's bounds are reached. A panic that is nothing numbered is counted and the
// hunt goes on behind it. The error is ctx's when that ended the hunt.
func (h Hunt) Run(ctx context.Context, m Mutant) (Catch, error) {
	c := Catch{ID: m.ID, Title: m.Title, Priority: m.Priority, Control: m.Control, Outcome: Survived}
	program := filepath.Join(h.Dir, m.ID+".bin")
	err := m.Build(ctx, h.Root, h.Dir, program)
	if err == nil {
		err = h.chase(ctx, program, &c)
		err = errors.Join(err, os.Remove(program))
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

func (h Hunt) chase(ctx context.Context, program string, c *Catch) error {
	began := time.Now()
	defer func() { c.Elapsed = time.Since(began) }()
	from, seeds := h.From, h.Seeds
	for c.Crashes < mostCrashes {
		left := h.For - time.Since(began)
		if h.For > 0 && left <= 0 {
			return nil
		}
		r, err := h.simulate(ctx, program, from, seeds, left)
		if err != nil {
			return err
		}
		c.Seeds += r.Totals.Seeds
		if len(r.Failures) == 0 {
			return nil
		}
		f := r.Failures[0]
		c.Seed, c.Text = f.Seed, f.Text
		if f.Property != "" {
			c.Outcome, c.Property = Caught, f.Property
			return nil
		}
		c.Outcome, c.Crashes = Crashed, c.Crashes+1
		from = f.Seed + 1
		if seeds = seeds - min(seeds, r.Totals.Counted); seeds == 0 && h.Seeds > 0 {
			return nil
		}
	}
	return nil
}

// run is what a hunt reads of the JSON form of `chubby sim`.
type run struct {
	Totals struct {
		Seeds   uint64 `json:"seeds"`
		Counted uint64 `json:"counted"`
	} `json:"totals"`
	Failures []struct {
		Seed     uint64 `json:"seed"`
		Property string `json:"property"`
		Text     string `json:"text"`
	} `json:"failures"`
}

// reports says that the simulator leaves a report when it ends with this code. A
// panic of its own, 5, stands there like a crash: a bug may well confuse a checker.
func reports(code int) bool { return code == 1 || code == 3 || code == 5 }

func (h Hunt) simulate(ctx context.Context, program string, from, seeds uint64, left time.Duration) (run, error) {
	args := []string{"sim", "--max-failures", "1", "-o", "json", "--from", strconv.FormatUint(from, 10)}
	if h.Seeds > 0 {
		args = append(args, "--seeds", strconv.FormatUint(seeds, 10))
	}
	if h.For > 0 {
		args = append(args, "--for", left.String())
	}
	if h.Jobs > 0 {
		args = append(args, "--jobs", strconv.Itoa(h.Jobs))
	}
	cmd := exec.CommandContext(ctx, program, append(args, h.Args...)...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !reports(exit.ExitCode()) || out.Len() == 0) {
		return run{}, fmt.Errorf("the simulator with this bug ended badly: %w: %s", err, gist(said.String()))
	}
	var r run
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return r, fmt.Errorf("the simulator with this bug wrote no report: %w", err)
	}
	return r, nil
}

// gist is the line of a program's last words that says most.
func gist(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for _, l := range lines {
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			return l
		}
	}
	return lines[len(lines)-1]
}
