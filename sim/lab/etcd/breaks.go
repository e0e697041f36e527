package etcd

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

func waiter() lab.Break {
	return lab.Break{
		ID: "E1", Mark: "[iss] #11456",
		Title:  "the session of a waiter ends while it waits, and the waiter takes the lock without a key",
		Lesson: "the waiter's own key must still exist when the earlier ones are gone; Header().Revision was the wrong token",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 15 * time.Second})
			b.Client("B", lab.Job{Start: time.Second, Work: 3 * time.Second, Careless: true})
			b.Client("C", lab.Job{Start: 13 * time.Second, Work: 5 * time.Second})
			b.At(2*time.Second, func() { b.Pause("B", 12*time.Second) })
			// C is further away, and learns last that A has gone.
			link := b.World().Net().Link(b.Machine("etcd").Addr(), b.Machine("C").Addr())
			link.Set(sim.LinkConfig{Delay: sim.Table{20 * time.Millisecond}})
		},
		Faulty: []lab.Variant{
			{Name: old, Mark: issue, Guard: lab.NoGuard, Build: build(mutex{ttl: ttl})},
			{Name: old + ", " + header, Mark: derived, Guard: lab.ReadFence, Build: build(mutex{ttl: ttl, token: headers})},
		},
		Repaired: []lab.Variant{
			{Name: old + ", " + create, Mark: derived, Guard: lab.ReadFence, Build: build(mutex{ttl: ttl, token: creates})},
			{Name: mended, Mark: source, Guard: lab.NoGuard, Build: build(mutex{ttl: ttl, checks: true})},
		},
	}
}

func pause() lab.Break {
	short := mutex{ttl: 2 * time.Second, checks: true}
	counted := short
	counted.token = headers
	return lab.Break{
		ID: "E2", Mark: derived,
		Title:  "the holder is paused for longer than its lease",
		Lesson: "no version of the library helps a holder that does not run; since 3.5.0 both of its numbers are good tokens",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: 6 * time.Second})
			b.When("A", lab.Checked, func() { b.Pause("A", 6*time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: mended, Mark: document, Guard: lab.NoGuard, Build: build(short)},
			{Name: header, Mark: derived, Guard: lab.WriteFence, Build: build(counted)},
		},
		Repaired: []lab.Variant{
			{Name: header, Mark: derived, Guard: lab.ReadFence, Build: build(counted)},
			{Name: "the resource reads the key", Mark: derived, Guard: lab.CheckThenAct, Build: build(short)},
		},
	}
}

func stall() lab.Break {
	return lab.Break{
		ID: "E3", Mark: derived,
		Title:  "the servers are paused, all leases end at once, and with #11456 every waiter has the lock",
		Lesson: "a lease is measured by the service; a holder that asks Done() before it writes is safe here, waiters were not",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 9 * time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: 3 * time.Second, Careless: true})
			b.Client("C", lab.Job{Start: 600 * time.Millisecond, Work: 5 * time.Second, Careless: true})
			b.At(3*time.Second, func() { b.Pause("etcd", 11*time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: old, Mark: issue, Guard: lab.NoGuard, Build: build(mutex{ttl: ttl})},
		},
		Repaired: []lab.Variant{
			{Name: old + ", " + create, Mark: derived, Guard: lab.ReadFence, Build: build(mutex{ttl: ttl, token: creates})},
			{Name: mended, Mark: source, Guard: lab.NoGuard, Build: build(mutex{ttl: ttl, checks: true})},
		},
	}
}

func staleLeader() lab.Break {
	before := three
	before.confirms = false
	plain, counted := mutex{ttl: ttl, checks: true}, mutex{ttl: ttl, checks: true, token: headers}
	return lab.Break{
		ID: "E4", Mark: "[iss] #12528, #15247",
		Title:  "a leader that was paused takes healthy leases for expired, and its successor revokes them",
		Lesson: "what a leader does by its own clock has to be tied to its leadership, up to the entry in the log",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 20 * time.Second, Careless: true})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: 10 * time.Second})
			b.At(3*time.Second, func() { b.Pause("etcd-1", 12*time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: "before #16822", Mark: issue, Guard: lab.NoGuard, Build: on(plain, before)},
		},
		Repaired: []lab.Variant{
			{Name: "the leader confirms that it leads", Mark: source, Guard: lab.NoGuard, Build: on(plain, three)},
			{Name: "before #16822, " + header, Mark: derived, Guard: lab.ReadFence, Build: on(counted, before)},
		},
	}
}

func oneSession() lab.Break {
	return lab.Break{
		ID: "E5", Mark: source,
		Title:  "two threads of a program (here A and B) lock by two Mutexes of one session",
		Lesson: "the session is the holder, not the thread: one session for each thing that has to be kept apart",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 3 * time.Second})
			b.Client("B", lab.Job{Start: time.Second, Work: 4 * time.Second})
		},
		Faulty: []lab.Variant{
			{Name: "one session", Mark: source, Guard: lab.NoGuard, Build: build(mutex{ttl: ttl, checks: true, one: true})},
			{Name: "one session, " + create, Mark: derived, Guard: lab.ReadFence, Build: build(mutex{ttl: ttl, checks: true, one: true, token: creates})},
		},
		Repaired: []lab.Variant{
			{Name: "a session each", Mark: document, Guard: lab.NoGuard, Build: build(mutex{ttl: ttl, checks: true})},
		},
	}
}

func readWrite() lab.Break {
	return lab.Break{
		ID: "E6", Mark: issue,
		Title:    "the read-write lock waits as Mutex did before 3.5.0",
		Lesson:   "a mistake that is mended in one recipe lives on in its copies",
		Unplayed: "for writers it is E1 of 3.4, step by step; shared locks are not modelled",
	}
}

func lostReply() lab.Break {
	return lab.Break{
		ID: "E7", Mark: derived,
		Title:  "the call to Lock fails though its key is in, and the old session is renewed for ever",
		Lesson: "a failed call to Lock may have queued up: end its session before the next try",
		Harm:   lab.WaitsFor(time.Minute),
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.At(1200*time.Microsecond, func() { b.HoldBack("etcd", "A", 3*time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: "the next try in a new session", Mark: derived, Guard: lab.NoGuard, Build: build(mutex{ttl: ttl, checks: true})},
		},
		Repaired: []lab.Variant{
			{Name: "closes the session first", Mark: derived, Guard: lab.NoGuard, Build: build(mutex{ttl: ttl, checks: true, closes: true})},
		},
	}
}

func newLeader() lab.Break {
	return lab.Break{
		ID: "E8", Mark: source,
		Title:  "a new leader gives the lease of a dead holder its whole TTL again",
		Lesson: "the price of a leader that does not know when leases were renewed; it is safe, and small with a short TTL",
		Harm:   lab.WaitsFor(70 * time.Second),
		Length: 3 * time.Minute,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 30 * time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: time.Second})
			b.At(time.Second, func() { b.Crash("A", -1) })
			b.At(50*time.Second, func() { b.Crash("etcd-1", -1) })
		},
		Faulty: []lab.Variant{
			{Name: "TTL 60 s, the default", Mark: source, Guard: lab.NoGuard, Build: on(mutex{ttl: time.Minute, checks: true}, three)},
		},
		Repaired: []lab.Variant{
			{Name: "TTL 5 s", Mark: source, Guard: lab.NoGuard, Build: on(mutex{ttl: ttl, checks: true}, three)},
		},
	}
}
