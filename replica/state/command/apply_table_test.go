package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// orderOfTests enumerates the tests of a call of a session: whether the session is
// alive, its Seq is above AckedThrough, it has an answer, its guard is the present epoch.
// The expected column is the order of the package comment.
var orderOfTests = []struct {
	alive, seen, answered, guard bool
	verdict                      command.Verdict
	code                         api.Code
}{
	{alive: true, guard: true, verdict: command.Executed, code: api.OK},
	{alive: true, guard: false, code: api.Aborted},
	{alive: true, answered: true, guard: true, verdict: command.Repeated, code: api.OK},
	{alive: true, answered: true, guard: false, verdict: command.Repeated, code: api.OK},
	{alive: true, seen: true, guard: true, code: api.Stale},
	{alive: true, seen: true, guard: false, code: api.Stale},
	{alive: true, seen: true, answered: true, guard: true, code: api.Stale},
	{alive: true, seen: true, answered: true, guard: false, code: api.Stale},
	{alive: false, guard: true, code: api.NoSession},
	{alive: false, guard: false, code: api.NoSession},
	{alive: false, answered: true, guard: true, code: api.NoSession},
	{alive: false, answered: true, guard: false, code: api.NoSession},
	{alive: false, seen: true, guard: true, code: api.NoSession},
	{alive: false, seen: true, guard: false, code: api.NoSession},
	{alive: false, seen: true, answered: true, guard: true, code: api.NoSession},
	{alive: false, seen: true, answered: true, guard: false, code: api.NoSession},
}

func TestTheOrderOfTests(t *testing.T) {
	for _, c := range orderOfTests {
		cl := newCell(t)
		guard := cl.epoch()
		id := cl.open(1)
		call := command.Call{Guard: guard, Session: id, Seq: 1, Op: api.Put{Key: "k", Value: "v"}}
		if c.answered {
			require.Equal(t, command.Executed, cl.apply(call).Verdict)
		}
		if c.seen {
			cl.apply(command.Call{Guard: guard, Session: id, Seq: 2, AckedThrough: 1, Op: api.Get{Key: "k"}})
		}
		if !c.alive {
			cl.apply(command.Call{Guard: guard, Session: id, Seq: 3, Op: api.EndSession{}})
		}
		if !c.guard {
			cl.epoch()
		}
		call.Op = api.Put{Key: "k", Value: "again"} // tells the copies apart
		before := cl.user("k")
		a := cl.apply(call)
		require.Equal(t, c.verdict, a.Verdict, "%+v", c)
		require.Equal(t, api.Result{Code: c.code}, a.Result, "%+v", c)
		if c.verdict == command.Executed {
			require.Equal(t, []command.Effect{command.RowChanged{Key: "k"}}, a.Effects)
			before = "again"
		} else {
			require.Empty(t, a.Effects, "%+v", c)
		}
		require.Equal(t, before, cl.user("k"), "%+v", c)
		require.NoError(t, command.Audit(cl.db))
	}
}

// The limits of check.go are tested before everything else, whatever the rows are.
func TestLimitsAreTestedAgainWhenApplied(t *testing.T) {
	long, big := strings.Repeat("k", api.MaxKey+1), strings.Repeat("v", api.MaxValue+1)
	for _, c := range []struct {
		cmd  command.Command
		code api.Code
	}{
		{command.Call{Session: 2, Seq: 1, Op: api.Put{Key: "", Value: "v"}}, api.Invalid},
		{command.Call{Session: 2, Seq: 1, Op: api.Put{Key: long}}, api.TooLarge},
		{command.Call{Session: 2, Seq: 1, Op: api.Put{Key: "k", Value: big}}, api.TooLarge},
		{command.Call{Session: 2, Seq: 1, Op: api.CompareAndSet{Key: "k", Expect: big}}, api.TooLarge},
		{command.Call{Session: 2, Seq: 1, Op: api.List{Prefix: long}}, api.TooLarge},
		{command.Call{Session: 0, Seq: 1, Op: api.Get{Key: "k"}}, api.Invalid},
		{command.Call{Session: 2, Seq: 0, Op: api.Get{Key: "k"}}, api.Invalid},
		{command.Call{Session: 2, Seq: 2, AckedThrough: 2, Op: api.Get{Key: "k"}}, api.Invalid},
		{command.Call{Session: 2, Seq: api.MaxWindow + 1, Op: api.Get{Key: "k"}}, api.Invalid},
		{command.Call{Session: 2, Op: api.OpenSession{Nonce: api.Nonce{1}}}, api.Invalid},
		{command.Call{Op: api.OpenSession{}}, api.Invalid},
		{command.Call{Op: api.OpenSession{Nonce: api.Nonce{1}}, Principal: "*"}, api.Invalid},
		{command.Constant{Name: "", Value: "v"}, api.Invalid},
		{command.Constant{Name: long}, api.TooLarge},
		{command.Constant{Name: "c", Value: big}, api.TooLarge},
		{command.Epoch{Master: 0}, api.Invalid},
	} {
		cl := newCell(t)
		cl.epoch()
		cl.open(1)
		epoch := rows.GetEpoch(cl.db)
		a := cl.apply(c.cmd)
		require.Equal(t, command.Refused, a.Verdict, "%.80v", c.cmd)
		require.Equal(t, api.Result{Code: c.code}, a.Result, "%.80v", c.cmd)
		require.Equal(t, epoch, rows.GetEpoch(cl.db))
	}
}

func TestBytesThatAreNoCommandAreCountedAndRefused(t *testing.T) {
	cl := newCell(t)
	for i, raw := range []string{"", "\x02", "\x01E\x01\x01\x01", "\x02X", "\x02E\x01\x01", "\x02E\x01\x01\x01\x01",
		"\x02E\x81\x00\x01\x01", "\x02E\xff\xff\xff\xff\xff\x01\x01\x01", "\x02C\x01\x01\x01\x01\x63", "\x02K\x01\x05ab"} {
		a := cl.raw(raw)
		require.Equal(t, command.Applied{Number: api.Number(i + 1), Result: api.Result{Code: api.Invalid}}, a, "%q", raw)
		require.Equal(t, 1, cl.db.Len(), "only the counter row")
	}
}

func TestOpenSession(t *testing.T) {
	open := func(guard api.Epoch, nonce uint64) command.Call {
		return command.Call{Guard: guard, Op: api.OpenSession{Nonce: api.Nonce{nonce, 7}}, Principal: "ann"}
	}
	cl := newCell(t)
	e := cl.epoch()

	first := cl.apply(open(e, 1))
	require.Equal(t, command.Executed, first.Verdict)
	id := first.Result.Session
	require.EqualValues(t, first.Number, id, "a session is named by the number of its command")
	require.Equal(t, []command.Effect{command.SessionOpened{Session: id}}, first.Effects)

	s, _ := rows.GetSession(cl.db, id)
	require.Equal(t, rows.Session{Nonce: api.Nonce{1, 7}, Principal: "ann"}, s)

	again := cl.apply(open(e, 1))
	require.Equal(t, command.Repeated, again.Verdict)
	require.Equal(t, first.Result, again.Result)

	later := cl.epoch()
	again = cl.apply(open(e, 1))
	require.Equal(t, command.Repeated, again.Verdict, "an answer is found before the guard")
	require.Equal(t, first.Result, again.Result)

	require.Equal(t, api.Aborted, cl.apply(open(e, 2)).Result.Code)
	other := cl.apply(open(later, 2))
	require.Equal(t, command.Executed, other.Verdict, "the refusal left nothing behind")
	require.NotEqual(t, id, other.Result.Session)

	theirs := open(later, 1)
	theirs.Principal = "bob"
	stolen := cl.apply(theirs)
	require.Equal(t, command.Executed, stolen.Verdict, "a nonce that bob has overheard opens one of his own")
	require.NotEqual(t, id, stolen.Result.Session)

	end := cl.apply(command.Call{Guard: later, Session: id, Seq: 1, Op: api.EndSession{}})
	require.Equal(t, []command.Effect{command.SessionEnded{Session: id}}, end.Effects)
	fresh := cl.apply(open(later, 1))
	require.Equal(t, command.Executed, fresh.Verdict)
	require.Greater(t, fresh.Result.Session, other.Result.Session, "ids never come again")
}

func TestEndSessionTakesEverythingAndIsFinal(t *testing.T) {
	cl := newCell(t)
	e := cl.epoch()
	id := cl.open(1)
	for seq := api.Seq(1); seq <= 3; seq++ {
		cl.apply(command.Call{Guard: e, Session: id, Seq: seq, Op: api.Put{Key: "k", Value: "v"}})
	}
	end := command.Call{Guard: e, Session: id, Seq: 4, Op: api.EndSession{}}
	require.Equal(t, command.Executed, cl.apply(end).Verdict)
	for range 2 {
		a := cl.apply(end)
		require.Equal(t, command.Refused, a.Verdict)
		require.Equal(t, api.NoSession, a.Result.Code)
	}
	require.Equal(t, api.NoSession, cl.apply(command.Call{Guard: e, Session: id, Seq: 5, Op: api.Put{Key: "k", Value: "late"}}).Result.Code)
	require.Equal(t, "v", cl.user("k"), "what the session wrote stays")
	require.Equal(t, 3, cl.db.Len(), "counter, epoch and user row")
}

func TestSessionsAreBounded(t *testing.T) {
	cl := newCell(t)
	e := cl.epoch()
	tx := cl.db.Begin()
	for i := range rows.MaxSessions {
		rows.OpenSession(tx, api.SessionID(1000+i), api.Nonce{1, uint64(i)}, "")
	}
	tx.Commit()
	open := command.Call{Guard: e, Op: api.OpenSession{Nonce: api.Nonce{2}}}
	a := cl.apply(open)
	require.Equal(t, command.Refused, a.Verdict)
	require.Equal(t, api.Busy, a.Result.Code)
	cl.apply(command.Call{Guard: e, Session: 1000, Seq: 1, Op: api.EndSession{}})
	require.Equal(t, command.Executed, cl.apply(open).Verdict)
}

// A cell may have a bound of its own, below that of all cells.
func TestSessionsAreBoundedByTheCell(t *testing.T) {
	for value, most := range map[string]int{"2": 2, "0": 0, "200000": 5, "many": 5, "": 5} {
		cl := newCell(t)
		e := cl.epoch()
		cl.apply(command.Constant{Guard: e, Name: rows.ConstantSessions, Value: value})
		opened := 0
		for i := range uint64(5) {
			if a := cl.apply(command.Call{Guard: e, Op: api.OpenSession{Nonce: api.Nonce{1, i}}}); a.Verdict == command.Executed {
				opened++
			} else {
				require.Equal(t, api.Busy, a.Result.Code)
			}
		}
		require.Equal(t, most, opened, value)
	}
}

// L2: however many calls a session makes, it has at most MaxWindow answers.
func TestAnswersAreBounded(t *testing.T) {
	cl := newCell(t)
	e := cl.epoch()
	id := cl.open(1)
	most := 0
	for seq := api.Seq(1); seq <= 3*api.MaxWindow; seq++ {
		seen := api.Seq(0)
		if seq > api.MaxWindow {
			seen = seq - api.MaxWindow
		}
		a := cl.apply(command.Call{Guard: e, Session: id, Seq: seq, AckedThrough: seen, Op: api.Get{Key: "k"}})
		require.Equal(t, command.Executed, a.Verdict)
		most = max(most, cl.db.Len())
	}
	require.Equal(t, api.MaxWindow+4, most, "counter, epoch, session, opener")
	require.NoError(t, command.Audit(cl.db))
}

// The epoch rises with every Epoch command of any sender, even if the command is of another tenure of
// the same replica, or a copy that a later leader found.
func TestTwoTenuresNeverShareAnEpoch(t *testing.T) {
	cl := newCell(t)
	cmd := command.Epoch{Master: 3, Ballot: rows.Ballot{Round: 5, Node: 3}}
	for i := range 3 {
		a := cl.apply(cmd)
		want := rows.Epoch{Number: api.Epoch(i + 1), Master: 3, Ballot: cmd.Ballot}
		require.Equal(t, []command.Effect{command.EpochBegan{Epoch: want}}, a.Effects)
		require.Equal(t, want, rows.GetEpoch(cl.db))
	}
}

func TestConstants(t *testing.T) {
	cl := newCell(t)
	e := cl.epoch()
	set := func(guard api.Epoch, value string) api.Result {
		return cl.apply(command.Constant{Guard: guard, Name: "rho", Value: value}).Result
	}
	require.Equal(t, api.Result{Code: api.Aborted}, set(e+1, "500"))
	require.Equal(t, api.Result{Code: api.OK}, set(e, "500"))
	require.Equal(t, api.Result{Code: api.OK}, set(e, "500"))
	require.Equal(t, api.Result{Code: api.Conflict, Found: true, Value: "500"}, set(e, "900"))
}

// A checksum command of any epoch is executed, and changes the counter only.
func TestAChecksumCommandChangesNothing(t *testing.T) {
	cl := newCell(t)
	cl.epoch()
	before := cl.db.Len()
	a := cl.apply(command.Checksum{})
	require.Equal(t, command.Executed, a.Verdict)
	require.Equal(t, []command.Effect{command.ChecksumDue{}}, a.Effects)
	require.Equal(t, before, cl.db.Len())
	require.Equal(t, a.Number, rows.GetTotals(cl.db).Commands)
}
