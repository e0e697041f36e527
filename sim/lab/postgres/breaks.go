package postgres

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

const (
	derived  = "[derived]"
	document = "[doc]"
	issue    = "[iss]"
	epoch    = "epoch as token"
)

// The ways of pooling.
var (
	transactions = pooling{}
	sessions     = pooling{session: true, reset: true}
	unreset      = pooling{session: true}
)

func twice() lab.Break {
	return lab.Break{
		ID: "P1", Mark: derived,
		Title:  "in transaction mode two clients are lent the same backend, which takes its lock again",
		Lesson: "a session lock belongs to a backend; a pooler that lends backends by the transaction gives it away",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Start: 100 * time.Millisecond, Work: 3 * time.Second})
			b.Client("B", lab.Job{Start: time.Second, Work: 4 * time.Second})
		},
		Faulty: []lab.Variant{
			{Name: "pool_mode transaction", Mark: derived, Guard: lab.NoGuard, Build: behind(transactions, lock{})},
			{Name: "pool_mode transaction, " + epoch, Mark: derived, Guard: lab.WriteFence, Build: behind(transactions, lock{token: true})},
		},
		Repaired: []lab.Variant{
			{Name: "pool_mode session", Mark: document, Guard: lab.NoGuard, Build: behind(sessions, lock{})},
			{Name: "pg_advisory_xact_lock", Mark: document, Guard: lab.NoGuard, Build: behind(transactions, lock{xact: true})},
			{Name: "pool_mode transaction, " + epoch, Mark: derived, Guard: lab.ReadFence, Build: behind(transactions, lock{token: true})},
		},
	}
}

func leak() lab.Break {
	return lab.Break{
		ID: "P2", Mark: "[iss] authentik #23876",
		Title:  "in transaction mode an unlock goes to another backend, and the lock stays where it is",
		Lesson: "pg_advisory_unlock answers false: a release that failed is an error to be handled, and here the sign of a pooler",
		Harm:   lab.WaitsFor(time.Minute),
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Start: 100 * time.Millisecond, Work: time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: time.Second})
			b.Node("report", sim.MachineConfig{}, func(n *lab.Node) {
				n.Sleep(500 * time.Millisecond)
				n.Note("runs a query of 3 s")
				n.Call(b.Lock().(*lock).server, "3000", time.Minute)
				n.Call(b.Lock().(*lock).server, "close", time.Minute)
			})
		},
		Faulty: []lab.Variant{
			{Name: "pool_mode transaction", Mark: issue, Guard: lab.NoGuard, Build: behind(transactions, lock{})},
		},
		Repaired: []lab.Variant{
			{Name: "pool_mode session", Mark: document, Guard: lab.NoGuard, Build: behind(sessions, lock{})},
			{Name: "pg_advisory_xact_lock", Mark: document, Guard: lab.NoGuard, Build: behind(transactions, lock{xact: true})},
		},
	}
}

func death() lab.Break {
	return lab.Break{
		ID: "P3", Mark: "[iss] pgdog #1407",
		Title:  "a client dies, and its backend goes back to the pool with the lock",
		Lesson: "what outlives a client has to be cleaned before the next one gets it",
		Harm:   lab.WaitsFor(time.Minute),
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Start: 100 * time.Millisecond, Work: 3 * time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: time.Second})
			b.At(time.Second, func() { b.Crash("A", -1) })
		},
		Faulty: []lab.Variant{
			{Name: "session mode without a reset", Mark: issue, Guard: lab.NoGuard, Build: behind(unreset, lock{})},
		},
		Repaired: []lab.Variant{
			{Name: "DISCARD ALL when a session ends", Mark: document, Guard: lab.NoGuard, Build: behind(sessions, lock{})},
			{Name: "a direct connection", Mark: document, Guard: lab.NoGuard, Build: direct(lock{})},
		},
	}
}

func cut() lab.Break {
	return lab.Break{
		ID: "P4", Mark: derived,
		Title:  "the connection is cut: the server frees the lock, and the holder learns of it at its next query",
		Lesson: "a lock without a lease is still lost with its connection; ask over that connection, or let the resource check. A write in the transaction of the lock is exact",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 10 * time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: 8 * time.Second})
			b.At(time.Second, func() { b.Cut([]string{"A"}, []string{one}, time.Minute) })
		},
		Faulty: []lab.Variant{
			{Name: "as documented", Mark: document, Guard: lab.NoGuard, Build: direct(lock{})},
			{Name: epoch, Mark: derived, Guard: lab.WriteFence, Build: direct(lock{token: true})},
		},
		Repaired: []lab.Variant{
			{Name: "a query every second", Mark: derived, Guard: lab.NoGuard, Build: direct(lock{probes: true})},
			{Name: epoch, Mark: derived, Guard: lab.ReadFence, Build: direct(lock{token: true})},
			{Name: "the resource reads pg_locks", Mark: derived, Guard: lab.CheckThenAct, Build: direct(lock{})},
		},
	}
}

func standby() lab.Break {
	return lab.Break{
		ID: "P5", Mark: document,
		Title:  "the standby is promoted; advisory locks are not replicated, and the epoch came late",
		Lesson: "a token is no better than the replication of its counter",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.HoldBack(first, second, time.Minute)
			b.Client("A", lab.Job{Work: 6 * time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 8 * time.Second})
			b.At(time.Second, func() { b.Crash(first, -1) })
			b.At(1500*time.Millisecond, func() {
				b.Say(second, "is promoted, and clients turn to it")
				b.Lock().(*lock).server = second
			})
		},
		Faulty: []lab.Variant{
			{Name: "as documented", Mark: document, Guard: lab.NoGuard, Build: replicated(lock{}, false)},
			{Name: epoch, Mark: derived, Guard: lab.ReadFence, Build: replicated(lock{token: true}, false)},
		},
		Repaired: []lab.Variant{
			{Name: epoch + ", synchronous standby", Mark: derived, Guard: lab.ReadFence, Build: replicated(lock{token: true}, true)},
			{Name: "as documented", Mark: derived, Guard: lab.CompareAndSwap, Build: replicated(lock{}, false)},
		},
	}
}

func hash() lab.Break {
	return lab.Break{
		ID: "P6", Mark: document,
		Title:    "hashtext has 32 bits: two names may share a lock",
		Lesson:   "name locks by 64 bits, or by a number of your own",
		Unplayed: "two names protect two things, and the bench has one; the harm is a needless wait",
	}
}
