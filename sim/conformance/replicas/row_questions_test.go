package replicas

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// A replica asks about its rows again, until a majority has answered or it no longer needs
// to know.
func TestL2AQuestionAboutRowsIsRepeated(t *testing.T) {
	const most = 100 * time.Millisecond
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	tell := func(slot paxos.Slot) driver.Transfer { return driver.TellSum{Slot: slot} }
	for name, c := range map[string]struct {
		between func(q *rowQuestions)
		out     model.Outcome // 20 ms after
		role    paxos.Role
		ms      int
		breaks  bool
	}{
		"not yet":       {ms: 100},
		"too late":      {ms: 101, breaks: true},
		"it asks again": {between: func(q *rowQuestions) { q.onAsk(at(50), 9) }, ms: 150},
		"and then no more": {
			between: func(q *rowQuestions) { q.onAsk(at(50), 9) }, ms: 151, breaks: true,
		},
		"about another slot": {between: func(q *rowQuestions) { q.onAsk(at(50), 8) }, ms: 151, breaks: true},
		"one of five answers": {
			between: func(q *rowQuestions) { q.onTransfer(2, tell(9)); q.onTransfer(2, tell(9)) }, ms: 101, breaks: true,
		},
		"a majority does": {
			between: func(q *rowQuestions) { q.onTransfer(2, tell(9)); q.onTransfer(3, tell(9)) }, ms: 900,
		},
		"by way of another": {
			between: func(q *rowQuestions) {
				q.onTransfer(2, tell(9))
				q.onTransfer(2, driver.Relay{From: 3, To: 1, M: tell(9)})
			}, ms: 900,
		},
		"the answers to two questions": {
			between: func(q *rowQuestions) {
				q.onTransfer(2, tell(9))
				q.onAsk(at(30), 7)
				q.onAsk(at(50), 9)
				q.onTransfer(3, tell(9))
			}, ms: 900,
		},
		"a majority speaks of another slot": {
			between: func(q *rowQuestions) { q.onTransfer(2, tell(8)); q.onTransfer(3, tell(8)) }, ms: 101, breaks: true,
		},
		"a snapshot comes that it has no need to install": {
			between: func(q *rowQuestions) { q.onBulkDone(wholeSnapshot(9)) }, ms: 900,
		},
		"a snapshot of an earlier slot comes": {
			between: func(q *rowQuestions) { q.onBulkDone(wholeSnapshot(8)) }, ms: 101, breaks: true,
		},
		"a part of a snapshot comes": {
			between: func(q *rowQuestions) { q.onBulkDone(driver.PutDone{}) }, ms: 101, breaks: true,
		},
		"it writes":   {out: model.Outcome{Output: driver.Output{Bulk: driver.WriteJob{}}}, ms: 900},
		"it reads":    {out: model.Outcome{Output: driver.Output{Bulk: driver.ReadJob{}}}, ms: 900, breaks: true},
		"it backs up": {out: model.Outcome{Output: driver.Output{Backup: &driver.BackupJob{}}}, ms: 900},
		"it installs": {out: model.Outcome{Observed: model.Observed{Installed: &core.Installed{Handle: paxos.Handle{Slot: 9}}}}, ms: 900},
		"it installs, and asks about what follows": {
			out: model.Outcome{Observed: model.Observed{Installed: &core.Installed{Handle: paxos.Handle{Slot: 8}}}}, ms: 101, breaks: true,
		},
		"it steps down": {role: paxos.Follower, ms: 900},
	} {
		t.Run(name, func(t *testing.T) {
			f, q := worldtest.New(t), rowQuestions{}
			act := func(ms int, role paxos.Role, out model.Outcome) {
				q.onActed(f.World, &paxos.Status{ID: 1, Role: role}, at(ms), 5, most, &out)
			}
			role := paxos.Leader
			q.onAsk(at(0), 9)
			act(0, role, model.Outcome{})
			if c.between != nil {
				c.between(&q)
			}
			if c.role != "" {
				role = c.role
			}
			act(20, role, c.out)
			f.Good()
			act(c.ms, role, model.Outcome{})
			if c.breaks {
				f.Diverges("L2")
			} else {
				f.Good()
			}
		})
	}
}

// In the step that installs a snapshot, a replica may apply what follows, and ask about that. The answers count.
func TestL2AnswersAboutWhatFollowsASnapshotCount(t *testing.T) {
	f, q := worldtest.New(t), rowQuestions{}
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	act := func(ms int, out model.Outcome) {
		q.onActed(f.World, &paxos.Status{ID: 1}, at(ms), 5, 100*time.Millisecond, &out)
	}
	q.onAsk(at(0), 9)
	act(0, model.Outcome{Observed: model.Observed{Installed: &core.Installed{Handle: paxos.Handle{Slot: 8}}}})
	q.onTransfer(2, driver.TellSum{Slot: 9})
	q.onAsk(at(50), 9)
	q.onTransfer(3, driver.TellSum{Slot: 9})
	act(900, model.Outcome{})
	f.Good()
}

// wholeSnapshot is the end of the job that wrote the last piece of a peer's snapshot.
func wholeSnapshot(slot paxos.Slot) driver.PutDone {
	return driver.PutDone{ID: driver.SnapshotID{Handle: paxos.Handle{Slot: slot}}, Rows: db.New()}
}

// A replica that steps down goes on with the questions about its next snapshot, and counts the answers
// that it has.
func TestL2AnswersOutlastATenure(t *testing.T) {
	f, q := worldtest.New(t), rowQuestions{}
	at := func(ms int) time.Time { return time.Unix(1, 0).Add(time.Duration(ms) * time.Millisecond) }
	act := func(ms int, role paxos.Role) {
		q.onActed(f.World, &paxos.Status{ID: 1, Role: role}, at(ms), 5, 100*time.Millisecond, &model.Outcome{})
	}
	q.onAsk(at(0), 9)
	q.onTransfer(2, driver.TellSum{Slot: 9})
	act(20, paxos.Leader)
	act(40, paxos.Follower)
	q.onAsk(at(90), 9)
	q.onTransfer(3, driver.TellSum{Slot: 9})
	act(900, paxos.Follower)
	f.Good()
}
