package model

import "slices"

// step computes what a call does. If the answer depends on an unknown number, it takes the observed answer or, if the
// output is unknown, the answer with an effect; see FileState.step.
func (s LockState) step(in *LockInput, out *LockOutput) (LockState, transition) {
	d := lockCall{r: s.lock(), in: in, out: out, did: stateKept}
	if d.code = d.run(); d.mustWait() || out != nil && !d.matchOutput(out) {
		return s, notPossible
	}
	if d.did == stateKept && !d.learned {
		return s, stateKept
	}
	return d.r.state(), d.did
}

// lockResult returns the answer in state s, without numbers that are unknown. For a LockAcquire that would wait, it
// returns the answer of a LockTry.
func lockResult(s LockState, in LockInput) LockOutput {
	d := lockCall{r: s.lock(), in: &in}
	out := LockOutput{Code: d.run()}
	if out.Code != LockOK {
		return out
	}
	switch in.Op {
	case LockAcquire, LockTry:
		i, _ := d.r.find(in.Handle)
		out.Gen, out.Acquisition = d.r.gen.reported(), d.r.holds[i].acquisition.reported()
	case LockGetSequencer:
		out.Gen, out.Shared = d.r.gen.reported(), d.r.shared
	case LockFail:
		out.Delay = d.r.delay(in.Began)
	}
	return out
}

// lockCall is a call in execution.
type lockCall struct {
	r       lockRows
	in      *LockInput
	out     *LockOutput // nil: unknown
	code    LockCode
	did     transition
	learned bool
	owned   bool // holds and delays may be changed in place
}

// own makes holds and delays private to this state.
func (d *lockCall) own() {
	if !d.owned {
		d.r.holds, d.r.delays, d.owned = slices.Clone(d.r.holds), slices.Clone(d.r.delays), true
	}
}

// acquisition returns the number of hold i, which the caller may determine.
func (d *lockCall) acquisition(i int) *number {
	if !d.r.holds[i].acquisition.exact {
		d.own()
	}
	return &d.r.holds[i].acquisition
}

func (d *lockCall) hasCode(c LockCode) bool { return d.out != nil && d.out.Code == c }

// mustWait reports whether the call cannot end now.
func (d *lockCall) mustWait() bool {
	return d.in.Op == LockAcquire && (d.code == LockHeld || d.code == LockDelayed)
}

func (d *lockCall) run() LockCode {
	i, held := d.r.find(d.in.Handle)
	switch d.in.Op {
	case LockAcquire, LockTry:
		return d.acquire(i, held)
	case LockRelease:
		if !held || !d.matchNumber(d.acquisition(i), d.in.Acquisition, LockNotHeld) {
			return LockNotHeld
		}
		d.free(i)
	case LockClose:
		if held {
			d.free(i)
		}
	case LockFail:
		return d.fail(i, held)
	case LockDelayOver:
		running := func(x lockDelay) bool { return x.began == d.in.Began }
		if !slices.ContainsFunc(d.r.delays, running) {
			return LockStale
		}
		d.own()
		d.r.delays, d.did = slices.DeleteFunc(d.r.delays, running), stateChanged
	case LockGetSequencer:
		if !held {
			return LockNotHeld
		}
	case LockCheckSequencer:
		if len(d.r.holds) == 0 || d.r.shared != d.in.Shared || !d.matchNumber(&d.r.gen, d.in.Gen, LockStale) {
			return LockStale
		}
	case LockForget:
		if !d.r.gone {
			d.r, d.did = lockRows{gone: true, gen: d.r.gen}, stateChanged
		}
	}
	return LockOK
}

// acquire grants or refuses the lock. If there are several reasons to refuse it, the order of the cases decides which
// one is the answer.
func (d *lockCall) acquire(i int, held bool) LockCode {
	free := len(d.r.holds) == 0
	switch {
	case d.r.gone:
		return LockGone
	case held && d.r.shared == d.in.Shared:
		return LockOK
	case held:
		return LockOther
	case !free && !(d.r.shared && d.in.Shared):
		return LockHeld
	case len(d.r.delays) > 0:
		return LockDelayed
	}
	if free {
		d.r.gen, d.r.shared = d.r.gen.after(), d.in.Shared
	}
	d.own()
	d.r.holds = slices.Insert(d.r.holds, i, lockHold{handle: d.in.Handle, delay: d.in.Delay})
	d.did = stateChanged
	return LockOK
}

// matchNumber reports whether n is v, and records what the observed answer says about n. no is the code of the answer
// that n is not v. If v is 0, any number matches.
func (d *lockCall) matchNumber(n *number, v uint64, no LockCode) bool {
	if v == 0 || n.is(v) {
		return true
	}
	if !n.canBe(v) {
		return false
	}
	d.learned = true
	if d.hasCode(no) {
		*n = n.exclude(v)
		return false
	}
	*n = number{least: v, exact: true}
	return true
}

func (d *lockCall) free(i int) {
	d.own()
	d.r.holds, d.did = slices.Delete(d.r.holds, i, i+1), stateChanged
	d.r.shared = d.r.shared && len(d.r.holds) > 0
}

func (d *lockCall) fail(i int, held bool) LockCode {
	if !held {
		return LockNotHeld
	}
	d.own()
	d.r.startDelay(lockDelay{d.in.Began, d.r.holds[i].delay})
	d.free(i)
	return LockOK
}

// matchOutput reports whether out can be the output of the call.
func (d *lockCall) matchOutput(out *LockOutput) bool {
	if out.Code != d.code {
		return false
	}
	if d.code != LockOK {
		return true
	}
	switch d.in.Op {
	case LockAcquire, LockTry:
		i, _ := d.r.find(d.in.Handle)
		return d.matchReported(&d.r.gen, out.Gen) && d.matchReported(d.acquisition(i), out.Acquisition)
	case LockGetSequencer:
		return out.Shared == d.r.shared && d.matchReported(&d.r.gen, out.Gen)
	case LockFail:
		return out.Delay < 0 || out.Delay == d.r.delay(d.in.Began)
	}
	return true
}

func (d *lockCall) matchReported(n *number, v uint64) bool {
	was := *n
	next, ok := n.observe(v)
	*n = next
	d.learned = d.learned || next != was
	return ok
}
