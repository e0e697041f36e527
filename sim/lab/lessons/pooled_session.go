package lessons

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// sql sends a statement to the pooler and waits for its answer.
func sql(a *lab.App, statement string) { a.Call("pgbouncer", statement, time.Hour) }

// lockSession takes a lock of the session, which is not its own: the next statement may run on
// another backend, and another client on this one.
func lockSession(a *lab.App, s *scene) {
	sql(a, "connect")
	sql(a, "lock") // SELECT pg_advisory_lock(1)
	h := a.Take(lab.Grant{})
	v, _ := a.Read(h)
	a.Sleep(3 * time.Second)
	a.Write(h, v.Next())
	h.End()
	sql(a, "unlock") // SELECT pg_advisory_unlock(1)
	sql(a, "close")
}

// lockTransaction takes a lock of the transaction, for which the pooler lends one backend.
func lockTransaction(a *lab.App, s *scene) {
	sql(a, "connect")
	sql(a, "begin")
	sql(a, "lock") // SELECT pg_advisory_xact_lock(1)
	h := a.Take(lab.Grant{})
	v, _ := a.Read(h)
	a.Sleep(3 * time.Second)
	a.Write(h, v.Next())
	h.End()
	sql(a, "commit")
	sql(a, "close")
}

func pooledSession() Lesson {
	return Lesson{
		Name: "pooled-session", File: "pooled_session.go",
		Title: "a lock of a database session, behind a pooler that lends sessions",
		Says:  "a lock belongs to the session that took it. If a pool lends a session for one transaction at a time, the lock must begin and end within one transaction. The same goes for temporary tables, SET, and LISTEN",
		harm:  []harm{lostUpdate},
		script: func(s *scene) {
			s.client("A", 100*time.Millisecond)
			s.client("B", time.Second)
		},
		programs: []program{
			{name: "lockSession", note: "PgBouncer, pool_mode transaction", wrong: true, build: pgbouncer, guard: lab.NoGuard, run: lockSession},
			{name: "lockTransaction", note: "PgBouncer, pool_mode transaction", build: pgbouncer, guard: lab.NoGuard, run: lockTransaction},
		},
	}
}
