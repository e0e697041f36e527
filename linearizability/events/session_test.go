package events

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func session(at int64, kind SessionKind) SessionEvent {
	return SessionEvent{At: at, Kind: kind, Session: "7", Master: "n1"}
}

func bound(e SessionEvent, bound int64) SessionEvent {
	e.Bound = bound
	return e
}

func promised(at int64, master string, to, lease int64) SessionEvent {
	e := bound(session(at, SessionPromised), to)
	e.Master, e.Lease = master, lease
	return e
}

func operation(at int64, kind SessionKind, seq int64) SessionEvent {
	e := session(at, kind)
	e.Seq = seq
	return e
}

func TestSessionsAreJudged(t *testing.T) {
	type all = []SessionEvent
	other := promised(9, "n1", 20, 20)
	other.Session = "8"
	p12, clientBound := promised(0, "n1", 12, 12), func(at, to int64) SessionEvent { return bound(session(at, SessionClientBound), to) }
	done, lost := func(at, seq int64) SessionEvent { return operation(at, SessionDone, seq) }, func(at, seq int64) SessionEvent { return operation(at, SessionLost, seq) }
	requireFindings(t, CheckSessions, []findingCase[SessionEvent]{
		{"a life", all{p12, clientBound(1, 11), done(2, 1), promised(7, "n1", 19, 19), clientBound(8, 18), done(9, 2), session(19, SessionExpired), lost(20, 3), lost(20, 4)}, nil, nil},
		{"closed by its client", all{p12, done(1, 1), session(2, SessionClosed), lost(3, 2)}, nil, nil},
		{"two masters", all{p12, promised(3, "n2", 30, 4), clientBound(4, 29), session(30, SessionExpired)}, nil, nil},
		{"other session", all{p12, session(12, SessionExpired), other}, nil, nil},
		{"told again by another rate", all{p12, promised(5, "n1", 11, 12), session(11, SessionExpired)}, nil, nil},
		{"another master has promised more", all{promised(0, "n1", 40, 40), p12, promised(3, "n2", 30, 4), session(30, SessionExpired)},
			[]FindingKind{BrokenPromise, EarlyEnd}, [][]int{{0, 1}, {0, 3}}},
		{"ended early", all{p12, promised(7, "n1", 19, 19), session(13, SessionExpired)}, []FindingKind{EarlyEnd}, [][]int{{1, 2}}},
		{"ended early by a new master", all{p12, promised(3, "n2", 10, 4), session(11, SessionExpired)}, []FindingKind{EarlyEnd}, [][]int{{0, 2}}},
		{"a bound beyond the promise", all{p12, clientBound(1, 13)}, []FindingKind{BeyondPromise}, [][]int{{0, 1}}},
		{"a bound before the promise", all{clientBound(1, 11), p12}, []FindingKind{BeyondPromise}, [][]int{{0}}},
		{"a lease end that moves back", all{p12, promised(5, "n1", 13, 11)}, []FindingKind{BrokenPromise}, [][]int{{0, 1}}},
		{"a bound that moves back, no lease end told", all{promised(0, "n1", 12, 0), promised(5, "n1", 11, 0)}, []FindingKind{BrokenPromise}, [][]int{{0, 1}}},
		{"done after the end", all{p12, session(12, SessionExpired), done(13, 1)}, []FindingKind{Revived}, [][]int{{1, 2}}},
		{"promised after the end", all{p12, session(12, SessionExpired), promised(13, "n1", 25, 25)}, []FindingKind{Revived}, [][]int{{1, 2}}},
		{"one lost, a later one done", all{p12, lost(2, 1), done(3, 2)}, []FindingKind{LostMiddle}, [][]int{{1, 2}}},
		{"one done, an earlier one lost", all{p12, done(3, 2), session(12, SessionExpired), lost(13, 1)}, []FindingKind{LostMiddle}, [][]int{{1, 3}}},
	})
}

func TestAnEarlyEndReadsLikeThis(t *testing.T) {
	found := CheckSessions([]SessionEvent{promised(1e9, "n1", 13e9, 0), session(12e9, SessionExpired)})
	require.Equal(t, `session 7 is ended before a bound that was promised:
  1.000000s: n1 promises not to end it before 13.000000s
  12.000000s: n1 ends it`, found[0].Text)
}
