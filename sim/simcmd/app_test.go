package simcmd

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/cli/clitest"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/crowd"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// world is a program with a fake simulator and a fake clock.
type world struct {
	*app
	out, err bytes.Buffer
	terminal bool
	clock    time.Time
	step     time.Duration // how far the clock goes on with each reading
	mu       sync.Mutex
	runs     int
	result   func(run int, seed uint64) cell.Result
	stopAt   uint64 // the seed at which an interrupt comes; 0: none
	stop     context.CancelFunc
	asked    runner.Batch
}

func newWorld() *world {
	w := &world{clock: time.Unix(1_700_000_000, 0), step: time.Second, result: func(_ int, seed uint64) cell.Result { return clean(seed) }}
	w.app = newApp(Options{Name: "chubby", Run: "go run ./cmd/chubby"})
	w.streams = func(c *cobra.Command) cli.Streams {
		s := cli.StreamsOf(c)
		s.Terminal = w.terminal
		return s
	}
	w.now = func() time.Time { w.clock = w.clock.Add(w.step); return w.clock }
	w.build = func() runner.Build {
		return runner.Build{Commit: "c0ffee", Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64"}
	}
	w.simulate = w.one
	w.batch = w.many
	w.crowd = func(o crowd.Options) crowdRun { return &quietCrowd{sessions: o.Sessions} }
	return w
}

func (w *world) one(o plan.Options) cell.Result {
	w.mu.Lock()
	w.runs++
	run := w.runs
	w.mu.Unlock()
	r := w.result(run, o.Seed)
	if r.Breach != nil && r.Breach.Check != "" { // the break needs one of seven faults
		needs(o, &r)
	}
	if o.Trace.W != nil && r.Breach != nil && r.Breach.At > 0 {
		fmt.Fprint(o.Trace.W, staleRead)
	} else if o.Trace.W != nil {
		fmt.Fprintf(o.Trace.W, "an event of seed %d\nhash %s\n", o.Seed, r.Hash)
	}
	return r
}

// many stands in for Batch.Run, and runs one seed after the other.
func (w *world) many(ctx context.Context, c runner.Batch) runner.End {
	w.asked = c
	counted, failed := uint64(0), 0
	for seed := c.From; ctx.Err() == nil; seed++ {
		o := c.Options
		o.Seed = seed
		r := runner.Guard(w.one)(o)
		if r.Counted {
			counted++
		}
		if r.Failed() {
			failed++
		}
		c.Each(r)
		if seed == w.stopAt {
			w.stop()
		}
		switch {
		case c.Seeds > 0 && counted >= c.Seeds:
			return runner.EndSeeds
		case c.MaxFailures > 0 && failed >= c.MaxFailures:
			return runner.EndFailures
		case (c.For > 0 || c.Seeds == 0) && seed > c.From+5:
			return runner.EndTime
		}
	}
	return runner.EndInterrupt
}

func (w *world) do(args ...string) int {
	w.out.Reset()
	w.err.Reset()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	w.stop = stop
	root := cli.Root(w.o.Name, "a test", "")
	root.SetOut(&w.out)
	root.SetErr(&w.err)
	root.AddCommand(w.command())
	return cli.Run(ctx, root, &w.err, args)
}

func clean(seed uint64) cell.Result {
	return cell.Result{
		Seed: seed, Hash: fmt.Sprintf("%016x", seed), Replicas: 3, Clients: 2, Workload: "mixed", Counted: true,
		Simulated: time.Minute, Events: 1000, Ops: 500 + int(seed), Hot: 200, Unknown: 5, Failovers: 2, Recovery: time.Second, FirstAnswers: []time.Duration{time.Millisecond, time.Second},
		Faults:    []cell.Number{{Name: "crash", Value: 3}, {Name: "pause", Value: seed % 2}},
		Sometimes: []cell.Number{{Name: "window-full", Value: 7}, {Name: "catch-up", Value: 0}},
		Partition: 4, Decided: 4, Steps: 99,
	}
}

func broken(seed uint64, id, text string) cell.Result {
	r := clean(seed)
	r.Counted, r.Breach = false, &cell.Breach{ID: id, Text: text}
	if id == "" {
		r.Stack = "panic({0x1, 0x2})\n\t/go/src/runtime/panic.go:1\nmain.f()\n\t/f.go:2"
	}
	return r
}

// outcomes are the fake simulators, by the names in the golden files.
var outcomes = map[string]func(run int, seed uint64) cell.Result{
	"clean": func(_ int, seed uint64) cell.Result { return clean(seed) },
	"idle": func(_ int, seed uint64) cell.Result {
		r := clean(seed)
		r.Counted = false
		return r
	},
	"broken": func(_ int, seed uint64) cell.Result {
		if seed%3 == 0 {
			return broken(seed, "S1", "slot 7 has two values")
		}
		return clean(seed)
	},
	"crash": func(_ int, seed uint64) cell.Result {
		if seed == 2 {
			return broken(seed, "", "index out of range [3] with length 3")
		}
		return clean(seed)
	},
	"undecided": func(_ int, seed uint64) cell.Result {
		r := clean(seed)
		r.Undecided = seed == 2
		return r
	},
	"needs": func(run int, seed uint64) cell.Result { // the method one uses it with the function needs
		r := broken(seed, "S7", "replica 1 answers reads alone at slot 3, when clients were told of slot 4")
		r.Breach.Check, r.Breach.At, r.Breach.Step, r.Breach.On = "reads alone", 4*time.Second, 7, 1
		return r
	},
	"moody": func(run int, seed uint64) cell.Result {
		r := broken(seed, "S4", "a stale read")
		r.Hash = fmt.Sprintf("%016x", run)
		return r
	},
	"slow": func(_ int, seed uint64) cell.Result {
		r := clean(seed)
		r.FirstAnswers[1] = time.Duration(seed%3) * 2 * time.Second
		return r
	},
	"panic": func(int, uint64) cell.Result { panic("a bug of the simulator") },
}

// TestCommandLine runs the command lines of every file in testdata with a fake simulator:
//
//	chubby [simulator=OUTCOME] [stop-at=SEED] [program=DIGEST]
func TestCommandLine(t *testing.T) { clitest.Scripts(t, script) }

// stack matches the stack of a goroutine, which differs between machines.
var stack = regexp.MustCompile(`(?m)^( *)goroutine \d+ \[running\]:\n(?:.+\(.*\)\n.*:\d+.*\n|.*created by .*\n.*\n)+`)

func script(t *testing.T, d *datadriven.TestData, line, _ string) string {
	w := newWorld()
	name := "clean"
	d.MaybeScanArgs(t, "simulator", &name)
	d.MaybeScanArgs(t, "stop-at", &w.stopAt)
	if d.HasArg("program") {
		b := w.build()
		d.ScanArgs(t, "program", &b.Program)
		w.build = func() runner.Build { return b }
	}
	require.Contains(t, outcomes, name)
	w.result = outcomes[name]
	code := w.do(strings.Fields(line)...)
	if strings.HasSuffix(line, "-o json") && w.out.Len() > 0 {
		schema.Accept(t, projectAt, w.out.Bytes())
	}
	same := func(text string) string { return stack.ReplaceAllString(text, "${1}STACK\n") }
	return clitest.Printed(same(w.out.String()), same(w.err.String()), code)
}

// staleRead is the trace of a run in which a replica is paused, and then answers a read with an old value.
const staleRead = `        1       1.000000000       n2       5.000000000 send         -> n1 accept 1.2 slot 3 v00000001
        2       1.001000000       n1       9.001000000 receive      <- n2 accept 1.2 slot 3 v00000001
        3       3.000000000        -                 - fault        pause 4
        3       3.000000000       n1      11.000000000 fault        pause 0
        4       3.500000000       n2       7.500000000 send         -> n3 accept 2.2 slot 4 v00000002
        5       3.501000000       n3       2.501000000 receive      <- n2 accept 2.2 slot 4 v00000002
        6       4.000000000       n1      12.000000000 fault        resume 0
        7       4.000000000       n1      12.000000000 receive      <- c1 call #9 session 5 seq 2 seen 1: get "a"
        7       4.000000000       n1      12.000000000 FAILURE      S7 broken at 4.000000000 (machine n1, event 7): replica 1 answers reads alone
`

// needs makes a result clean if the script leaves out the fourth of seven pauses. It fills o.Record with all seven.
func needs(o plan.Options, r *cell.Result) {
	if o.Record != nil {
		for i := range 7 {
			o.Record.Strikes = append(o.Record.Strikes, &plan.Strike{Fault: plan.Fault{Kind: "pause", N: i + 1}, At: time.Duration(i) * time.Second})
		}
		o.Record.Safety = time.Minute
	}
	if o.Script != nil && !slices.Contains(o.Script.Faults(), plan.Fault{Kind: "pause", N: 4}) {
		*r = clean(o.Seed)
	}
}
