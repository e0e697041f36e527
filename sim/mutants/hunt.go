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
	"syscall"
	"time"
)

// Outcome is the outcome of the hunt for a planted bug.
type Outcome string

// The outcomes.
const (
	Caught   Outcome = "caught"   // a numbered property or invariant broke
	Crashed  Outcome = "crashed"  // only panics that break no numbered property or invariant
	Survived Outcome = "survived" // nothing broke
	Unbuilt  Outcome = "unbuilt"  // the mutant could not be built or run; Text has the reason
)

// Catch is the outcome of one hunt.
type Catch struct {
	ID       string  `json:"id"`
	Title    string  `json:"title"`
	Priority string  `json:"priority"`
	Control  bool    `json:"control"`
	Outcome  Outcome `json:"outcome"`
	Property string  `json:"property,omitempty"` // the property that broke
	// Conformance says that a conformance check ended the hunt: the bug breaks a rule of this implementation, which
	// exists to keep Property.
	Conformance bool `json:"conformance,omitempty"`

	Expected bool          `json:"expected"`          // the header names the property
	Seed     uint64        `json:"seed"`              // the seed that broke it
	Seeds    uint64        `json:"seeds"`             // seeds simulated until then
	Crashes  uint64        `json:"crashes"`           // seeds among them that ended by a panic without a number
	Unclean  uint64        `json:"unclean,omitempty"` // seeds among them that break without the bug, too
	Dirty    uint64        `json:"dirty,omitempty"`   // the last unclean seed
	Elapsed  time.Duration `json:"elapsed_ns"`        // real time of the simulation, without the build
	CPU      time.Duration `json:"cpu_ns"`            // processor time of the simulator
	Text     string        `json:"text,omitempty"`    // the report of the break, or the reason of Unbuilt
}

// IsWrong reports whether this hunt makes the suite fail: a bug of priority A was not caught, a control was not
// Survived, or the mutant does not build.
func (c *Catch) IsWrong() bool {
	switch {
	case c.Outcome == Unbuilt:
		return true
	case c.Control:
		return c.Outcome != Survived
	}
	return c.Priority == "A" && c.Outcome != Caught
}

// Hunt configures hunts for planted bugs. All bugs are hunted with the same options of `chubby sim`.
type Hunt struct {
	Root  string        // of the module
	Dir   string        // for built programs; the caller may delete it afterwards
	From  uint64        // first seed
	Seeds uint64        // bound in counted seeds; 0: no bound
	For   time.Duration // bound in real time; 0: no bound
	CPU   time.Duration // bound in processor time; 0: no bound
	Jobs  int           // of the simulator; 0: its default
	Args  []string      // further arguments of `chubby sim`
	Clean *Clean        // checks that the seed of a catch is clean without the bug; nil: no check
}

// Run builds a mutant and simulates it until a numbered property or invariant breaks, or a bound is reached. After a
// panic without a number, and after a seed that breaks without the bug, too, the hunt goes on with the next seed. If
// ctx ends or an interrupt ends the program, Run returns an error. Failures to build or run are no error; see Unbuilt.
func (h Hunt) Run(ctx context.Context, m Mutant) (Catch, error) {
	var c Catch
	err := h.Plant(ctx, m, func(chase Chase) (err error) {
		c, err = chase(ctx, h)
		return err
	})
	return c, err
}

// Chase is a hunt for a mutant that Plant has built. It uses h without its Root and Dir, except for Clean. If ctx ends,
// it returns the error of ctx.
type Chase func(ctx context.Context, h Hunt) (Catch, error)

// Plant builds a mutant once, and calls chases with a Chase that it may call several times. If the mutant cannot be
// built, each Chase returns Unbuilt. Plant removes the program before it returns. It returns the error of chases, or of
// ctx.
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

// one makes one chase. err is the error of the build.
func (h Hunt) one(ctx context.Context, m Mutant, program string, err error) (Catch, error) {
	c := Catch{ID: m.ID, Title: m.Title, Priority: m.Priority, Control: m.Control, Outcome: Survived}
	if err == nil {
		err = h.chase(ctx, program, &c)
	}
	if ctx.Err() != nil {
		return c, ctx.Err()
	}
	if isInterrupted(err) { // an interrupt of the whole group may reach the program before it ends ctx
		return c, fmt.Errorf("%s was not hunted to the end: %w", m.ID, err)
	}
	if err != nil {
		c.Outcome, c.Text = Unbuilt, err.Error()
	}
	for _, p := range m.Properties {
		c.Expected = c.Expected || c.Property != "" && p == c.Property
	}
	return c, nil
}

// isInterrupted reports whether a program ended because of an interrupt from outside, which says nothing about its bug.
func isInterrupted(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	const shell = 128 // added to the number of the signal by programs that end in order
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		status, ok := exit.Sys().(syscall.WaitStatus)
		if exit.ExitCode() == shell+int(s) || ok && status.Signaled() && status.Signal() == s {
			return true
		}
	}
	return false
}

// mostCrashes is the number of panics after which a hunt ends.
const mostCrashes = 20

// portion is how many counted seeds a program runs at a time if processor time is bounded, because the processor time
// of a program is known only when it has ended.
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

// seeds returns how many counted seeds the next program should run, after this many; 0: any number.
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

// hasReport reports whether the simulator writes a report when it exits with this code. Code 5, a panic of the simulator
// itself, is one of them: the report has it like a crash, because a planted bug may make a checker panic.
func hasReport(code int) bool { return code == 1 || code == 3 || code == 5 }

// hangBound is how much longer than the hunt's bound of processor time one program may take in real time. After that the
// bug counts as one that hangs the program.
const hangBound = 5 * time.Minute

// simulate runs a program from a seed on, and returns its report and its processor time. left is the rest of h.For.
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

// lastError returns the most useful line that a program wrote to stderr: a panic, or the last line.
func lastError(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for _, l := range lines {
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			return l
		}
	}
	return lines[len(lines)-1]
}
