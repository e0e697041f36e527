package runner

import (
	"bufio"
	"io"
	"strings"
	"sync"

	"github.com/chubbycell/chubby/sim/plan"
)

// Verification is the outcome of two runs of one seed, which must be equal (D1).
type Verification struct {
	Seed   uint64      `json:"seed"`
	First  string      `json:"first"`  // hashes of the two runs
	Second string      `json:"second"` // equal if all is well
	Parted *Divergence `json:"parted,omitempty"`
	// Internal and Stack describe a panic of the simulator itself, after which there is nothing to
	// compare; "" if there was none.
	Internal string `json:"internal,omitempty"`
	Stack    string `json:"stack,omitempty"`
}

// Divergence is the first place at which the traces of two runs differ.
type Divergence struct {
	Line   int    `json:"line"` // of the trace, from 1
	First  string `json:"first"`
	Second string `json:"second"`
}

// Same reports whether both runs were equal.
func (v *Verification) Same() bool { return v.First == v.Second && v.Internal == "" }

// Verify runs a seed twice and compares the hashes. If they differ, it runs the seed twice more,
// side by side, to find the first event that differs. It may find none, since these two runs may
// happen to be equal. It does not write the trace in o. It blocks for as long as the runs take.
func Verify(run Runner, o plan.Options) Verification {
	o.Trace.W = nil
	run = Guard(run)
	v := Verification{Seed: o.Seed}
	for _, hash := range []*string{&v.First, &v.Second} {
		r := run(o)
		if r.Internal {
			v.Internal, v.Stack = r.Breach.Text, r.Stack
			return v
		}
		*hash = r.Hash
	}
	if !v.Same() {
		v.Parted = part(run, o)
	}
	return v
}

// part runs a seed twice side by side, and compares the traces line by line as they are written, so
// that it need not store them. It traces messages by length and hash, since a description might
// hide a difference.
func part(run Runner, o plan.Options) *Divergence {
	o.Trace.Describe = nil
	var runs sync.WaitGroup
	start := func() *io.PipeReader {
		r, w := io.Pipe()
		o := o
		o.Trace.W = w
		runs.Go(func() {
			run(o)
			w.Close()
		})
		return r
	}
	a, b := start(), start()
	d := compare(a, b)
	a.Close() // a run continues if its trace has no reader any more
	b.Close()
	runs.Wait()
	return d
}

// compare returns the first line that differs, or nil if none does.
func compare(a, b io.Reader) *Divergence {
	la, lb := bufio.NewReader(a), bufio.NewReader(b)
	for n := 1; ; n++ {
		sa, errA := la.ReadString('\n')
		sb, errB := lb.ReadString('\n')
		if sa != sb {
			return &Divergence{Line: n, First: trimmed(sa), Second: trimmed(sb)}
		}
		if errA != nil || errB != nil {
			return nil
		}
	}
}

func trimmed(line string) string {
	if line == "" {
		return "(the trace ends here)"
	}
	return strings.TrimSuffix(line, "\n")
}
