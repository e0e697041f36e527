package linearizability

import "slices"

// step says what a call does. Where a number that nobody was told decides, it
// takes the answer that was seen, and of a call that nobody saw the one with an
// effect; see FileState.step.
func (s LockState) step(in *LockInput, out *LockOutput) (LockState, move) {
	d := lockDeed{r: s.lock(), in: in, out: out, did: kept}
	if d.code = d.do(); d.waits() || out != nil && !d.shows(out) {
		return s, refused
	}
	if d.did == kept && !d.learnt {
		return s, kept
	}
	return d.r.state(), d.did
}

// lockResult is the answer in state s, without the numbers that nobody knows. A
// call that waits there answers as one that does not.
func lockResult(s LockState, in LockInput) LockOutput {
	d := lockDeed{r: s.lock(), in: &in}
	out := LockOutput{Code: d.do()}
	if out.Code != LockOK {
		return out
	}
	switch in.Op {
	case LockAcquire, LockTry:
		i, _ := d.r.find(in.Handle)
		out.Gen, out.Acquisition = d.r.gen.told(), d.r.holds[i].acquisition.told()
	case LockGetSequencer:
		out.Gen, out.Shared = d.r.gen.told(), d.r.shared
	case LockFail:
		out.Delay = d.r.delay(in.Began)
	}
	return out
}

// lockDeed is a call while it is done.
type lockDeed struct {
	r      lockRows
	in     *LockInput
	out    *LockOutput // nil: nobody saw it
	code   LockCode
	did    move
	learnt bool
	owned  bool // holds and delays may be changed in place
}

// own makes holds and delays this state's own.
func (d *lockDeed) own() {
	if !d.owned {
		d.r.holds, d.r.delays, d.owned = slices.Clone(d.r.holds), slices.Clone(d.r.delays), true
	}
}

// acquisition is that of hold i, to be learnt if it is not known.
func (d *lockDeed) acquisition(i int) *number {
	if !d.r.holds[i].acquisition.exact {
		d.own()
	}
	return &d.r.holds[i].acquisition
}

func (d *lockDeed) saw(c LockCode) bool { return d.out != nil && d.out.Code == c }

// waits reports that the call cannot end now.
func (d *lockDeed) waits() bool {
	return d.in.Op == LockAcquire && (d.code == LockHeld || d.code == LockDelayed)
}

func (d *lockDeed) do() LockCode {
	i, held := d.r.find(d.in.Handle)
	switch d.in.Op {
	case LockAcquire, LockTry:
		return d.claim(i, held)
	case LockRelease:
		if !held || !d.settles(d.acquisition(i), d.in.Acquisition, LockNotHeld) {
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
		d.r.delays, d.did = slices.DeleteFunc(d.r.delays, running), changed
	case LockGetSequencer:
		if !held {
			return LockNotHeld
		}
	case LockCheckSequencer:
		if len(d.r.holds) == 0 || d.r.shared != d.in.Shared || !d.settles(&d.r.gen, d.in.Gen, LockStale) {
			return LockStale
		}
	case LockForget:
		if !d.r.gone {
			d.r, d.did = lockRows{gone: true, gen: d.r.gen}, changed
		}
	}
	return LockOK
}

// claim tests in the order that decides which refusal is told.
func (d *lockDeed) claim(i int, held bool) LockCode {
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
	d.did = changed
	return LockOK
}

// settles reports whether n is v, and notes what that says of n; no is the code
// that says it is not. v is 0 where any will do.
func (d *lockDeed) settles(n *number, v uint64, no LockCode) bool {
	if v == 0 || n.is(v) {
		return true
	}
	if !n.maybe(v) {
		return false
	}
	d.learnt = true
	if d.saw(no) {
		*n = n.other(v)
		return false
	}
	*n = number{least: v, exact: true}
	return true
}

func (d *lockDeed) free(i int) {
	d.own()
	d.r.holds, d.did = slices.Delete(d.r.holds, i, i+1), changed
	d.r.shared = d.r.shared && len(d.r.holds) > 0
}

func (d *lockDeed) fail(i int, held bool) LockCode {
	if !held {
		return LockNotHeld
	}
	d.own()
	d.r.run(lockDelay{d.in.Began, d.r.holds[i].delay})
	d.free(i)
	return LockOK
}

// shows reports whether out is what the call gives.
func (d *lockDeed) shows(out *LockOutput) bool {
	if out.Code != d.code {
		return false
	}
	if d.code != LockOK {
		return true
	}
	switch d.in.Op {
	case LockAcquire, LockTry:
		i, _ := d.r.find(d.in.Handle)
		return d.told(&d.r.gen, out.Gen) && d.told(d.acquisition(i), out.Acquisition)
	case LockGetSequencer:
		return out.Shared == d.r.shared && d.told(&d.r.gen, out.Gen)
	case LockFail:
		return out.Delay < 0 || out.Delay == d.r.delay(d.in.Began)
	}
	return true
}

func (d *lockDeed) told(n *number, v uint64) bool {
	was := *n
	next, ok := n.see(v)
	*n = next
	d.learnt = d.learnt || next != was
	return ok
}
