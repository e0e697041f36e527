package linearizability

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// toyLocks is an independent implementation of the lock model. As in toyTree, the generations of a lock are places in a
// sequence. Each acquisition is in a sequence of its own.
type toyLocks struct {
	holds  map[string]map[string]toyHold // by lock, by handle
	gens   map[string][]toyNumber
	delays map[string]map[uint64]int64
	gone   map[string]bool
}

type toyHold struct {
	shared      bool
	acquisition toyNumber
	delay       int64
}

func newToyLocks() toyLocks {
	return toyLocks{map[string]map[string]toyHold{}, map[string][]toyNumber{}, map[string]map[uint64]int64{}, map[string]bool{}}
}

func (t toyLocks) clone() toyLocks {
	c := newToyLocks()
	for k, v := range t.holds { // order-free, as below
		c.holds[k] = maps.Clone(v)
	}
	for k, v := range t.gens {
		c.gens[k] = slices.Clone(v)
	}
	for k, v := range t.delays {
		c.delays[k] = maps.Clone(v)
	}
	c.gone = maps.Clone(t.gone)
	return c
}

func (t toyLocks) key() string { return fmt.Sprint(t.holds, t.gens, t.delays, t.gone) }

// toyLockWay is one possible next state, with its answer.
type toyLockWay struct {
	toyLocks
	code LockCode
}

// noted returns n with the record that it is v, or is not v. It returns false if that contradicts earlier records.
func (n toyNumber) noted(v uint64, is bool) (toyNumber, bool) {
	was := strings.Contains(n.not, fmt.Sprintf(",%d,", v))
	switch {
	case n.is != 0:
		return n, (n.is == v) == is
	case is:
		n.is = v
		return n, !was
	case !was:
		n.not += fmt.Sprintf(",%d,", v)
	}
	return n, true
}

func (t toyLocks) notedGen(lock string, v uint64, is bool) (toyLocks, bool) {
	t = t.clone()
	s, ok := t.gens[lock], false
	if len(s) == 0 {
		return t, !is
	}
	s[len(s)-1], ok = s[len(s)-1].noted(v, is)
	return t, ok && fits(s, 1)
}

func (t toyLocks) notedAcquisition(lock, handle string, v uint64, is bool) (toyLocks, bool) {
	t = t.clone()
	h, ok := t.holds[lock][handle], false
	h.acquisition, ok = h.acquisition.noted(v, is)
	t.holds[lock][handle] = h
	return t, ok
}

// ways returns all possible next states after in; none: it waits.
func (t toyLocks) ways(in LockInput) (all []toyLockWay) {
	k := lockOf(in)
	h, held := t.holds[k][in.Handle]
	one := func(code LockCode) []toyLockWay { return []toyLockWay{{t, code}} }
	branch := func(note func(is bool) (toyLocks, bool), no LockCode, do func(t toyLocks)) (all []toyLockWay) {
		if next, ok := note(false); ok {
			all = append(all, toyLockWay{next, no})
		}
		if next, ok := note(true); ok {
			do(next)
			all = append(all, toyLockWay{next, LockOK})
		}
		return all
	}
	switch in.Op {
	case LockAcquire, LockTry:
		w := t.claimed(k, in)
		if in.Op == LockAcquire && (w.code == LockHeld || w.code == LockDelayed) {
			return nil
		}
		return []toyLockWay{w}
	case LockRelease:
		if !held {
			return one(LockNotHeld)
		}
		if in.Acquisition == 0 {
			t = t.clone()
			delete(t.holds[k], in.Handle)
			return one(LockOK)
		}
		return branch(func(is bool) (toyLocks, bool) { return t.notedAcquisition(k, in.Handle, in.Acquisition, is) },
			LockNotHeld, func(t toyLocks) { delete(t.holds[k], in.Handle) })
	case LockCheckSequencer:
		if len(t.holds[k]) == 0 || t.shared(k) != in.Shared {
			return one(LockStale)
		}
		return branch(func(is bool) (toyLocks, bool) { return t.notedGen(k, in.Gen, is) }, LockStale, func(toyLocks) {})
	case LockGetSequencer:
		if !held {
			return one(LockNotHeld)
		}
	case LockFail:
		if !held {
			return one(LockNotHeld)
		}
		t = t.clone()
		delete(t.holds[k], in.Handle)
		if h.delay > 0 && t.delays[k] == nil {
			t.delays[k] = map[uint64]int64{}
		}
		if h.delay > t.delays[k][in.Began] {
			t.delays[k][in.Began] = h.delay
		}
	case LockDelayOver:
		if t.delays[k][in.Began] == 0 {
			return one(LockStale)
		}
		t = t.clone()
		delete(t.delays[k], in.Began)
	case LockClose:
		t = t.clone()
		delete(t.holds[k], in.Handle)
	case LockForget:
		t = t.clone()
		delete(t.holds, k)
		delete(t.delays, k)
		t.gone[k] = true
	}
	return one(LockOK)
}

func (t toyLocks) shared(lock string) bool {
	for _, h := range t.holds[lock] { // order-free: all hold it in one mode
		return h.shared
	}
	return false
}

func (t toyLocks) claimed(k string, in LockInput) toyLockWay {
	h, held := t.holds[k][in.Handle]
	switch {
	case t.gone[k]:
		return toyLockWay{t, LockGone}
	case held && h.shared != in.Shared:
		return toyLockWay{t, LockOther}
	case held:
		return toyLockWay{t, LockOK}
	case len(t.holds[k]) > 0 && (!in.Shared || !t.shared(k)):
		return toyLockWay{t, LockHeld}
	case len(t.delays[k]) > 0:
		return toyLockWay{t, LockDelayed}
	}
	t = t.clone()
	if len(t.holds[k]) == 0 {
		t.gens[k] = append(t.gens[k], toyNumber{})
		t.holds[k] = map[string]toyHold{}
	}
	t.holds[k][in.Handle] = toyHold{shared: in.Shared, delay: in.Delay}
	return toyLockWay{t, LockOK}
}

func (t toyLocks) follow(in LockInput, out *LockOutput) (all []bruteState[LockInput, LockOutput]) {
	for _, w := range t.ways(in) {
		if next, ok := w.matches(in, out); ok {
			all = append(all, next)
		}
	}
	return all
}

func (w toyLockWay) matches(in LockInput, out *LockOutput) (t toyLocks, ok bool) {
	k := lockOf(in)
	t, ok = w.toyLocks, true
	if out == nil || out.Code != w.code || w.code != LockOK {
		return t, out == nil || out.Code == w.code
	}
	claim := in.Op == LockAcquire || in.Op == LockTry
	if in.Op == LockGetSequencer && out.Shared != t.shared(k) || in.Op == LockFail && out.Delay >= 0 && out.Delay != t.delays[k][in.Began] {
		return t, false
	}
	if out.Gen != 0 && (claim || in.Op == LockGetSequencer) {
		t, ok = t.notedGen(k, out.Gen, true)
	}
	if ok && out.Acquisition != 0 && claim {
		t, ok = t.notedAcquisition(k, in.Handle, out.Acquisition, true)
	}
	return t, ok
}

// lockToy is a toy of locks: it assigns the numbers, and draws calls.
type lockToy struct {
	*toyLocks
	last  uint64
	pick  pick
	vague bool // reports only some numbers
}

func (f *lockToy) ready(in LockInput) bool { return len(f.ways(in)) > 0 }

func (f *lockToy) wouldChange(in LockInput) bool { return f.ways(in)[0].key() != f.key() }

func (f *lockToy) do(in LockInput) LockOutput {
	w := f.ways(in)[0]
	*f.toyLocks = w.toyLocks
	k := lockOf(in)
	out := LockOutput{Code: w.code}
	if w.code != LockOK {
		return out
	}
	f.number()
	switch in.Op {
	case LockFail:
		out.Delay = f.delays[k][in.Began]
	case LockAcquire, LockTry, LockGetSequencer:
		if s := f.gens[k]; !f.vague || f.pick(3) > 0 {
			out.Gen, out.Shared = s[len(s)-1].is, f.shared(k)
		} else {
			out.Shared = f.shared(k)
		}
		if in.Op != LockGetSequencer && (!f.vague || f.pick(3) > 0) {
			out.Acquisition = f.holds[k][in.Handle].acquisition.is
		}
	}
	return out
}

// number assigns a number to each new place.
func (f *lockToy) number() {
	next := func() uint64 {
		f.last += 1 + uint64(f.pick(2))
		return f.last
	}
	for _, k := range slices.Sorted(maps.Keys(f.gens)) {
		if s := f.gens[k]; s[len(s)-1].is == 0 {
			s[len(s)-1].is = next()
		}
		for _, handle := range slices.Sorted(maps.Keys(f.holds[k])) {
			if h := f.holds[k][handle]; h.acquisition.is == 0 {
				h.acquisition.is = next()
				f.holds[k][handle] = h
			}
		}
	}
}

func (f *lockToy) draw(pick pick) LockInput {
	in := LockInput{Op: LockOp(1 + pick(8)), Path: "/a", Instance: 1 + uint64(pick(8)/7)}
	if pick(40) == 0 {
		in.Op = LockForget
	}
	if pick(3) == 0 {
		in.Op = LockTry
	}
	k := lockOf(in)
	if isOfHandle(in.Op) {
		in.Handle = fmt.Sprint("h", pick(3))
	}
	if len(f.holds[k]) > 0 && isOfHandle(in.Op) && in.Op != LockTry && in.Op != LockAcquire && pick(2) == 0 {
		in.Handle = slices.Sorted(maps.Keys(f.holds[k]))[0]
	}
	switch in.Op {
	case LockAcquire, LockTry:
		in.Shared, in.Delay = pick(2) == 0, int64(pick(3))
	case LockRelease:
		if in.Acquisition = f.holds[k][in.Handle].acquisition.is; pick(4) == 0 {
			in.Acquisition = uint64(pick(int(f.last + 2)))
		}
	case LockCheckSequencer:
		in.Shared, in.Gen = f.shared(k), f.last+uint64(pick(2))
		if s := f.gens[k]; len(s) > 0 && pick(4) > 0 {
			in.Gen = s[len(s)-1-pick(min(len(s), 2))].is
		}
		in.Gen = max(in.Gen, 1)
	case LockFail:
		in.Began = uint64(1 + pick(3))
	case LockDelayOver:
		if in.Began = uint64(1 + pick(3)); len(f.delays[k]) > 0 {
			in.Began = slices.Sorted(maps.Keys(f.delays[k]))[0]
		}
	}
	return in
}

func simulateLocks(p pick, clients, operations int, tells bool) *History[LockInput, LockOutput] {
	t := newToyLocks()
	s := simulation[LockInput, LockOutput]{
		pick: p, clients: clients, operations: operations, tells: tells,
		toy: &lockToy{toyLocks: &t, pick: p, vague: !tells},
	}
	return s.run()
}

// mutateLock changes a number, a mode or a code of a call or its result.
func mutateLock(p pick, op *Operation[LockInput, LockOutput]) {
	in, out := &op.Input, &op.Output
	some := func(v *uint64) {
		if *v != 0 {
			*v += uint64(p(3))
		}
	}
	switch p(9) {
	case 0, 1:
		out.Code = LockCode(p(7))
	case 2, 3:
		some(&out.Gen)
	case 4:
		some(&out.Acquisition)
	case 5:
		some(&in.Acquisition)
	case 6:
		some(&in.Gen)
	case 7:
		if in.Op == LockAcquire || in.Op == LockTry || in.Op == LockCheckSequencer {
			in.Shared = !in.Shared
		}
	case 8:
		if in.Op == LockFail && out.Code == LockOK {
			out.Delay = int64(p(3))
		}
	}
}

// lockOf returns the name of the lock of a call.
func lockOf(in LockInput) string { return fmt.Sprintf("%s#%d", in.Path, in.Instance) }

// isOfHandle reports whether op is an operation of a handle.
func isOfHandle(op LockOp) bool {
	return op != LockDelayOver && op != LockCheckSequencer && op != LockForget
}
