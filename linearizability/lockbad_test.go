package linearizability

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type lockOperation = Operation[LockInput, LockOutput]

func lostLock(client, call int64, in LockInput) lockOperation {
	return lockOperation{Client: client, Call: call, Return: Never, Outcome: OutcomeUnknown, Input: in}
}

// by returns a call of a handle on the one lock of these tests.
func by(handle string, op LockOp) LockInput {
	return LockInput{Op: op, Path: "/a", Instance: 3, Handle: handle}
}

func sharing(in LockInput) LockInput { in.Shared = true; return in }

func delaying(in LockInput, delay int64) LockInput { in.Delay = delay; return in }

func began(in LockInput, name uint64) LockInput { in.Began = name; return in }

func checking(gen uint64) LockInput {
	return LockInput{Op: LockCheckSequencer, Path: "/a", Instance: 3, Gen: gen}
}

func releasing(handle string, acquisition uint64) LockInput {
	in := by(handle, LockRelease)
	in.Acquisition = acquisition
	return in
}

func granted(gen, acquisition uint64) LockOutput {
	return LockOutput{Gen: gen, Acquisition: acquisition}
}

func code(c LockCode) LockOutput { return LockOutput{Code: c} }

func badLockHistories() []badHistory[LockInput, LockOutput] {
	type ops = []lockOperation
	x, y := by("x", LockAcquire), by("y", LockAcquire)
	fail := began(by("x", LockFail), 9)
	over := began(by("", LockDelayOver), 9)
	delayed := LockOutput{Delay: 30}
	return []badHistory[LockInput, LockOutput]{
		{"two exclusive holders",
			ops{done(1, 1, 2, x, granted(5, 5)), done(2, 3, 4, y, granted(6, 6))},
			func(o ops) { o[1].Input.Op, o[1].Output = LockTry, code(LockHeld) }},
		{"a reader beside a writer",
			ops{done(1, 1, 2, x, granted(5, 5)), done(2, 3, 4, sharing(y), granted(5, 6))},
			func(o ops) { o[0].Input.Shared = true }},
		{"a writer beside a reader",
			ops{done(1, 1, 2, sharing(x), granted(5, 5)), done(2, 3, 4, y, granted(6, 6))},
			func(o ops) { o[1].Input.Shared, o[1].Output = true, granted(5, 6) }},
		{"a generation that stays when the lock was free",
			ops{done(1, 1, 2, x, granted(5, 5)), done(1, 3, 4, releasing("x", 5), code(LockOK)), done(2, 5, 6, y, granted(5, 7))},
			func(o ops) { o[2].Output = granted(7, 7) }},
		{"a generation that goes down",
			ops{done(1, 1, 2, x, granted(5, 5)), done(1, 3, 4, releasing("x", 5), code(LockOK)), done(2, 5, 6, y, granted(4, 7))},
			func(o ops) { o[2].Output = granted(6, 7) }},
		{"a generation that grows when a reader joins",
			ops{done(1, 1, 2, sharing(x), granted(5, 5)), done(2, 3, 4, sharing(y), granted(6, 6))},
			func(o ops) { o[1].Output = granted(5, 6) }},
		{"a hold granted again with another acquisition",
			ops{done(1, 1, 2, x, granted(5, 5)), done(1, 3, 4, x, granted(5, 6))},
			func(o ops) { o[1].Output = granted(5, 5) }},
		{"the lock is refused and is free",
			ops{done(1, 1, 2, by("x", LockTry), code(LockHeld))},
			func(o ops) { o[0].Output = granted(5, 5) }},
		{"the lock is refused after its release",
			ops{done(1, 1, 2, x, granted(5, 5)), done(1, 3, 4, releasing("x", 5), code(LockOK)), done(2, 5, 6, by("y", LockTry), code(LockHeld))},
			func(o ops) { o[1].Return = 7 }},
		{"a grant inside a lock-delay",
			ops{done(1, 1, 2, delaying(x, 30), granted(5, 5)), done(9, 3, 4, fail, delayed), done(2, 5, 7, y, granted(6, 6)), done(9, 8, 9, over, code(LockOK))},
			func(o ops) { o[2].Return = 10 }},
		{"a reader joins inside a lock-delay",
			ops{done(1, 1, 2, sharing(delaying(x, 30)), granted(5, 5)), done(2, 3, 4, sharing(y), granted(5, 6)), done(9, 5, 6, fail, delayed), done(3, 7, 8, sharing(by("z", LockTry)), granted(5, 8))},
			func(o ops) { o[3].Output = code(LockDelayed) }},
		{"a lock-delay that was forgotten",
			ops{done(1, 1, 2, delaying(x, 30), granted(5, 5)), done(9, 3, 4, fail, LockOutput{})},
			func(o ops) { o[0].Input.Delay = 0 }},
		{"a lock-delay after a release",
			ops{done(1, 1, 2, delaying(x, 30), granted(5, 5)), done(1, 3, 4, releasing("x", 5), code(LockOK)), done(2, 5, 6, by("y", LockTry), code(LockDelayed))},
			func(o ops) { o[1].Input, o[1].Output = fail, delayed }},
		{"a lock-delay that never began is over",
			ops{done(1, 1, 2, x, granted(5, 5)), done(9, 3, 4, fail, LockOutput{}), done(9, 5, 6, over, code(LockOK))},
			func(o ops) { o[2].Output = code(LockStale) }},
		{"a holder fails that has released",
			ops{done(1, 1, 2, x, granted(5, 5)), done(1, 3, 4, by("x", LockClose), code(LockOK)), done(9, 5, 6, fail, LockOutput{})},
			func(o ops) { o[2].Output = code(LockNotHeld) }},
		{"a late copy of a release frees the next hold",
			ops{done(1, 1, 2, x, granted(5, 5)), done(1, 3, 4, releasing("x", 5), code(LockOK)), done(1, 5, 6, x, granted(7, 7)), done(1, 7, 8, releasing("x", 5), code(LockOK))},
			func(o ops) { o[3].Output = code(LockNotHeld) }},
		{"a release of what another holds",
			ops{done(1, 1, 2, x, granted(5, 5)), done(2, 3, 4, releasing("y", 5), code(LockOK))},
			func(o ops) { o[1].Output = code(LockNotHeld) }},
		{"a sequencer of a former holder is valid",
			ops{done(1, 1, 2, x, granted(5, 5)), done(1, 3, 4, releasing("x", 5), code(LockOK)), done(2, 5, 6, y, granted(7, 7)), done(3, 7, 8, checking(5), code(LockOK))},
			func(o ops) { o[3].Output = code(LockStale) }},
		{"a sequencer of the holder is not valid",
			ops{done(1, 1, 2, x, granted(5, 5)), done(3, 3, 4, checking(5), code(LockStale))},
			func(o ops) { o[1].Input.Gen = 6 }},
		{"a sequencer is valid in the other mode",
			ops{done(1, 1, 2, x, granted(5, 5)), done(3, 3, 4, sharing(checking(5)), code(LockOK))},
			func(o ops) { o[1].Input.Shared = false }},
		{"a sequencer of a handle that holds nothing",
			ops{done(1, 1, 2, by("x", LockGetSequencer), LockOutput{Gen: 5})},
			func(o ops) { o[0].Output = code(LockNotHeld) }},
		{"the other mode is granted to the holder",
			ops{done(1, 1, 2, sharing(x), granted(5, 5)), done(1, 3, 4, x, granted(5, 5))},
			func(o ops) { o[1].Output = code(LockOther) }},
		{"a lock outlives its node",
			ops{done(1, 1, 2, x, granted(5, 5)), done(9, 3, 4, by("", LockForget), code(LockOK)), done(3, 5, 6, checking(5), code(LockOK))},
			func(o ops) { o[2].Output = code(LockStale) }},
		{"a grant after the node was deleted",
			ops{done(9, 1, 2, by("", LockForget), code(LockOK)), done(1, 3, 4, x, granted(5, 5))},
			func(o ops) { o[1].Output = code(LockGone) }},
		{"a lost acquire is granted, and not",
			ops{lostLock(1, 1, x), done(2, 2, 3, by("y", LockTry), code(LockHeld)), done(2, 4, 5, by("y", LockTry), granted(7, 7))},
			func(o ops) { o[1].Output, o[2].Output = granted(7, 7), granted(7, 7) }},
		{"a lost acquire is granted twice",
			ops{lostLock(1, 1, x), done(2, 2, 3, by("x", LockClose), code(LockOK)), done(2, 4, 5, by("x", LockRelease), code(LockOK)), done(2, 6, 7, by("x", LockRelease), code(LockOK))},
			func(o ops) { o[3].Output = code(LockNotHeld) }},
	}
}

func TestBadLockHistoriesAreRejectedByBothChecks(t *testing.T) {
	requireRejected(t, Lock(), newToyLocks(), badLockHistories())
}

func TestALockExplanationReadsLikeThis(t *testing.T) {
	h := historyOf(t, []lockOperation{
		done(1, 1, 2, delaying(by("c1/4", LockAcquire), 30e9), granted(5, 5)),
		done(9, 3, 4, began(by("c1/4", LockFail), 9), LockOutput{Delay: 30e9}),
		done(2, 5, 6, by("c2/7", LockTry), granted(6, 6)),
	})
	e, err := Explain(Lock(), h, Budget{})
	require.NoError(t, err)
	require.Equal(t, `Not linearizable: lock "/a#3", 3 operations.
The first 2 completions have a legal order, the first 3 have none. The last of them:
  #3 client 2: try /a#3 by c2/7 exclusive -> ok generation 6 acquisition 6 [called 5, returned 6]
cannot have had this result. Possible there: delayed.
It contradicts:
  #2 client 9: fail /a#3 by c1/4 delay 9 -> ok delay 30s [called 3, returned 4]: returned before it was called
`, e.Text)
}

func TestLockInputsAreValidated(t *testing.T) {
	for says, in := range map[string]LockInput{
		"op: no such operation 0":            by("x", 0),
		"op: no such operation 10":           by("x", 10),
		`handle: "": a handle's operations`:  by("", LockTry),
		`handle: "x": a handle's operations`: by("x", LockForget),
		"delay_ns: -1 is negative":           delaying(by("x", LockTry), -1),
		"gen: 0 is none":                     checking(0),
	} {
		_, err := Check(Lock(), historyOf(t, []lockOperation{lostLock(1, 1, in)}), Budget{})
		require.ErrorIs(t, err, ErrMalformed)
		require.ErrorContains(t, err, says)
	}
}

func TestLockStatesHaveWords(t *testing.T) {
	s := LockState{}
	require.Equal(t, "free, generation >=0", s.String())
	for _, step := range []struct {
		in   LockInput
		says string
	}{
		{sharing(delaying(by("x", LockTry), 30)), "x shared, generation >=1"},
		{sharing(by("y", LockTry)), "x shared, y shared, generation >=1"},
		{began(by("x", LockFail), 9), "y shared, delay 9, generation >=1"},
		{by("", LockForget), "gone, generation >=1"},
	} {
		_, s = Lock().Effect(s, step.in)
		require.Equal(t, step.says, s.String())
	}
}

const lockSample = `{"format":"chubby-history","version":1,"model":"lock"}
{"id":0,"client":1,"call":1,"return":2,"slot":1,"outcome":"ok","input":{"op":"acquire","path":"/a","instance":3,"handle":"1/4","mode":"shared","delay_ns":30000000000},"output":{"gen":5,"acquisition":5}}
{"id":1,"client":2,"call":3,"return":4,"slot":2,"outcome":"ok","input":{"op":"try","path":"/a","instance":3,"handle":"2/4","mode":"exclusive"},"output":{"code":"held"}}
{"id":2,"client":2,"call":5,"return":6,"slot":3,"outcome":"ok","input":{"op":"try","path":"/a","instance":3,"handle":"2/5","mode":"shared"},"output":{"gen":5,"acquisition":8}}
{"id":3,"client":1,"call":7,"return":8,"outcome":"ok","input":{"op":"sequencer","path":"/a","instance":3,"handle":"1/4"},"output":{"mode":"shared","gen":5}}
{"id":4,"client":3,"call":9,"return":10,"outcome":"ok","input":{"op":"check","path":"/a","instance":3,"mode":"shared","gen":5},"output":{}}
{"id":5,"client":9,"call":11,"return":12,"slot":4,"outcome":"ok","input":{"op":"fail","path":"/a","instance":3,"handle":"1/4","began":9},"output":{"delay_ns":30000000000}}
{"id":6,"client":2,"call":13,"return":14,"slot":5,"outcome":"ok","input":{"op":"release","path":"/a","instance":3,"handle":"2/5","acquisition":8},"output":{}}
{"id":7,"client":2,"call":15,"return":16,"outcome":"ok","input":{"op":"close","path":"/a","instance":3,"handle":"2/5"},"output":{}}
{"id":8,"client":2,"call":17,"slot":7,"outcome":"unknown","input":{"op":"acquire","path":"/a","instance":3,"handle":"2/4","mode":"exclusive"},"output":{"gen":12,"acquisition":12}}
{"id":9,"client":9,"call":18,"return":19,"slot":6,"outcome":"ok","input":{"op":"over","path":"/a","instance":3,"began":9},"output":{}}
{"id":10,"client":3,"call":20,"return":21,"outcome":"ok","input":{"op":"check","path":"/a","instance":3,"mode":"shared","gen":5},"output":{"code":"stale"}}
{"id":11,"client":9,"call":22,"return":23,"slot":8,"outcome":"ok","input":{"op":"forget","path":"/a","instance":3},"output":{}}
{"id":12,"client":3,"call":24,"return":25,"outcome":"ok","input":{"op":"try","path":"/a","instance":3,"handle":"3/1","mode":"shared"},"output":{"code":"gone"}}
`

func TestAFileOfLocksIsPinned(t *testing.T) {
	h, err := ReadJSONL(strings.NewReader(lockSample), Lock(), ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, lockOperation{
		ID: 5, Client: 9, Call: 11, Return: 12, At: Position{Slot: 4}, Outcome: OutcomeOK,
		Input: began(by("1/4", LockFail), 9), Output: LockOutput{Delay: 30e9},
	}, h.Operations()[5])
	legalAsWritten(t, Lock(), h, lockSample)
}

// legalAsWritten requires that a history is written as the sample that it was read
// from, and that the sample is legal.
func legalAsWritten[S, I, O any](t *testing.T, m *Model[S, I, O], h *History[I, O], sample string) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, WriteJSONL(&out, m, h))
	require.Equal(t, sample, out.String())
	r, err := CheckFile(strings.NewReader(sample), m.Name, Options{})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Witness.Verdict, r.Text())
	require.Equal(t, Legal, r.Search, r.Text())
}

func TestFaultsOfLocksNameLineAndField(t *testing.T) {
	const call, ret = `{"client":1,"call":3,"input":`, `{"client":1,"call":3,"return":4,"input":`
	for _, c := range []struct{ line, says string }{
		{call + `{"op":"lock","path":"/a","handle":"x"}}`, `line 1: input.op: there is no operation "lock"`},
		{call + `{"op":"try","handle":"x","mode":"shared"}}`, `line 1: input.path: missing`},
		{call + `{"op":"try","path":"/a","mode":"shared"}}`, `line 1: input.handle: missing`},
		{call + `{"op":"try","path":"/a","handle":"","mode":"shared"}}`, `line 1: input.handle: "": a handle's`},
		{call + `{"op":"try","path":"/a","handle":[],"mode":"shared"}}`, `line 1: input.handle: not a string`},
		{call + `{"op":"try","path":"/a","handle":"x"}}`, `line 1: input.mode: missing`},
		{call + `{"op":"try","path":"/a","handle":"x","mode":"both"}}`, `line 1: input.mode: "both" is not exclusive or shared`},
		{call + `{"op":"try","path":"/a","handle":"x","mode":"shared","delay_ns":-1}}`, `line 1: input.delay_ns: -1 is negative`},
		{call + `{"op":"release","path":"/a","handle":"x","mode":"shared"}}`, `line 1: input.mode: does not belong to release`},
		{call + `{"op":"check","path":"/a","mode":"shared"}}`, `line 1: input.gen: missing`},
		{call + `{"op":"check","path":"/a","mode":"shared","gen":1,"handle":"x"}}`, `line 1: input.handle: does not belong to check`},
		{call + `{"op":"fail","path":"/a","handle":"x"}}`, `line 1: input.began: missing`},
		{ret + `{"op":"close","path":"/a","handle":"x"},"output":{"code":"closed"}}`, `line 1: output.code: there is no code "closed"`},
		{ret + `{"op":"close","path":"/a","handle":"x"},"output":{"gen":1}}`, `line 1: output.gen: does not belong`},
		{ret + `{"op":"sequencer","path":"/a","handle":"x"},"output":{"gen":1}}`, `line 1: output.mode: missing`},
		{ret + `{"op":"sequencer","path":"/a","handle":"x"},"output":{"mode":"both"}}`, `line 1: output.mode: "both" is not`},
		{ret + `{"op":"fail","path":"/a","handle":"x","began":1},"output":{"delay_ns":-1}}`, `line 1: output.delay_ns: -1 is negative`},
	} {
		requireFault(t, Lock(), c.line, 1, c.says)
	}
}

func TestWrittenLockHistoriesReadBackTheSame(t *testing.T) {
	for seed := range uint64(300) {
		p := splitMix(seed)
		requireRoundTrip(t, Lock(), mutate(p, simulateLocks(p, 3, 12, p(2) == 0), mutateLock))
	}
}

func FuzzReadLockJSONL(f *testing.F) {
	f.Add([]byte(lockSample))
	fuzzJSONL(f, Lock())
}
