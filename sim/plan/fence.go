package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// FenceMode is how a resource outside of the cell guards itself against those who
// do not hold the lock any more, or not yet.
type FenceMode uint8

// The ways. The zero value is the one that is sound by tokens alone, which the
// swarm uses (S10).
const (
	// FenceReads compares the token of each read and of each write with the highest
	// that it has seen, refuses what is below, and remembers it (CHU §2.4).
	FenceReads FenceMode = iota
	// FenceNothing looks at no token.
	FenceNothing
	// FenceWrites compares the tokens of writes alone, and remembers those of writes
	// alone: the common reading of "reject a lower token", which still loses updates.
	FenceWrites
	// FenceAsk asks the cell whether the sequencer is valid (CheckSequencer), and acts
	// some time after it was told so.
	FenceAsk
	// FenceCompare is FenceWrites, and a write names the version that it was made from:
	// it is refused if that is not the present one.
	FenceCompare
)

// fenceModes are the names for people, in the order of tables.
var fenceModes = []struct {
	mode FenceMode
	name string
}{
	{FenceNothing, "no check"},
	{FenceWrites, "write-check"},
	{FenceReads, "read-and-write check"},
	{FenceAsk, "check then act"},
	{FenceCompare, "compare-and-set"},
}

// FenceModes lists all ways, from none to the most.
func FenceModes() []FenceMode {
	var all []FenceMode
	for _, m := range fenceModes {
		all = append(all, m.mode)
	}
	return all
}

// String is the name for people.
func (m FenceMode) String() string {
	for _, x := range fenceModes {
		if x.mode == m {
			return x.name
		}
	}
	return fmt.Sprintf("FenceMode(%d)", uint8(m))
}

// Sound says that a resource of this kind loses no update, whatever its clients believe.
func (m FenceMode) Sound() bool { return m == FenceReads || m == FenceCompare }

// FenceOptions shape the workload "fenced". The zero value is what the swarm does:
// tokens are checked on reads and writes, lock-delays are drawn, and clocks err as
// far as they may.
type FenceOptions struct {
	Mode FenceMode
	// Delay is the longest lock-delay that holders ask for; below 0: none; 0: drawn.
	Delay time.Duration
	// Drift is the largest rate error of clients' clocks, in thousandths of what the
	// cell is configured with, of about half of the clients; 0: none errs beyond. Above
	// 1,000 a client may believe in a lock that another one has: S9, S11 and S15 are not
	// checked then.
	Drift int
}

func (o FenceOptions) check() error {
	switch {
	case !slices.Contains(FenceModes(), o.Mode):
		return fmt.Errorf("there is no %v", o.Mode)
	case o.Delay > time.Minute:
		return fmt.Errorf("lock-delays of %v: at most a minute", o.Delay)
	case o.Drift < 0 || o.Drift > 10_000:
		return fmt.Errorf("clocks of clients that err by %d thousandths of the bound: between 0 and 10000", o.Drift)
	}
	return nil
}

// FencePlan is what a seed decides about the resource of the workload "fenced".
type FencePlan struct {
	FenceOptions
	Late uint64        // one in so many requests stays in its sender's machine for long
	Most time.Duration // for how long, at most; and so for the resource between asking and acting
	Work time.Duration // the longest time between reading and writing
	Wait time.Duration // for how long a program waits for the resource
}

func (p *Plan) fence(o FenceOptions, at func(string) *draw.Stream) {
	if p.Workload != Fenced {
		return
	}
	p.Fence = FencePlan{
		FenceOptions: o,
		Late:         uint64(at("fence.late").LogUniform(3, 40)),
		Most:         time.Duration(at("fence.most").LogUniform(int64(200*time.Millisecond), int64(10*time.Second))),
		Wait:         time.Duration(at("fence.wait").LogUniform(int64(100*time.Millisecond), int64(3*time.Second))),
		Work:         time.Duration(at("fence.work").LogUniform(int64(10*time.Millisecond), int64(time.Second))),
	}
	// Sessions are short, so that holders are lost now and then.
	lease := time.Duration(at("fence.lease").LogUniform(int64(500*time.Millisecond), int64(3*time.Second)))
	p.Driver.Core.Sessions.LeaseMin, p.Driver.Core.Sessions.LeaseMax = lease, 2*lease
	switch {
	case o.Delay > 0:
		p.Calls.Delay = o.Delay / 2
	case o.Delay < 0:
		p.Calls.Delay = 0
	}
	p.Calls.Threads = min(p.Calls.Threads, 2) // all want one lock
}
