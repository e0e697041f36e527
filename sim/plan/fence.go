package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// FenceMode is how a resource outside of the cell guards itself against clients that no longer hold
// the lock, or do not hold it yet.
type FenceMode uint8

// The modes. The swarm uses the zero value, which is sound by tokens alone (S10).
const (
	// FenceReads compares the token of each read and each write with the highest token seen so far,
	// refuses the request if its token is lower, and otherwise remembers the token (CHU §2.4).
	FenceReads FenceMode = iota
	// FenceNothing checks no token.
	FenceNothing
	// FenceWrites compares and remembers only the tokens of writes. This is the common reading of
	// "reject a lower token", and still loses updates.
	FenceWrites
	// FenceAsk asks the cell whether the sequencer is valid (CheckSequencer), and acts some time
	// after the answer.
	FenceAsk
	// FenceCompare is FenceWrites, and each write names the version on which it is based. It is
	// refused if that is not the present version.
	FenceCompare
)

// fenceModes are the modes and their names, in the order of tables.
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

// FenceModes returns all modes, in the order of tables.
func FenceModes() []FenceMode {
	var all []FenceMode
	for _, m := range fenceModes {
		all = append(all, m.mode)
	}
	return all
}

// String returns the name of the mode.
func (m FenceMode) String() string {
	for _, x := range fenceModes {
		if x.mode == m {
			return x.name
		}
	}
	return fmt.Sprintf("FenceMode(%d)", uint8(m))
}

// Sound reports whether a resource in this mode loses no update, whatever its clients believe.
func (m FenceMode) Sound() bool { return m == FenceReads || m == FenceCompare }

// FenceOptions configure the workload "fenced". The zero value is what the swarm uses: tokens are
// checked on reads and writes, lock-delays are drawn, and clocks err up to their bound.
type FenceOptions struct {
	Mode FenceMode
	// Delay is the longest lock-delay that holders ask for; below 0: none; 0: drawn.
	Delay time.Duration
	// Drift is the largest rate error of the clocks of about half of the clients, in thousandths of
	// the bound that the cell is configured with. 0: no clock exceeds the bound. Above 1,000 a
	// client may believe that it holds a lock that another client holds, so S9, S11 and S15 are not
	// checked.
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
	Late uint64        // one in Late requests leaves its sender's machine late
	Most time.Duration // how late at most; also how long the resource may take between asking the cell and acting
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
	p.Calls.Threads = min(p.Calls.Threads, 2) // all programs acquire one lock
}
