package consul

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// The locks of the breaks: with the default lock-delay and without.
var (
	delayed   = lock{ttl: ttl, delay: delay}
	undelayed = lock{ttl: ttl}
)

func (l lock) with(t tokens) lock {
	l.token = t
	return l
}

// news is a machine that tells a server something at an instant.
func news(b *lab.Bench, who string, at time.Duration, say, to, text string) {
	b.Node(who, sim.MachineConfig{}, func(n *lab.Node) {
		n.Sleep(at)
		n.Note("%s", say)
		n.Tell(to, text)
	})
}

// sleepy is a holder that is paused until an instant, and a client behind it.
func sleepy(until, work time.Duration) func(b *lab.Bench) {
	return func(b *lab.Bench) {
		b.Client("A", lab.Job{Work: time.Second})
		b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: work})
		b.When("A", lab.Checked, func() { b.Pause("A", until) })
	}
}

func pause() lab.Break {
	return lab.Break{
		ID: "C1", Mark: source,
		Title:  "without a lock-delay, a holder that is paused for twice the TTL overlaps",
		Lesson: "the lock-delay is time for a late holder's last write to land, and not to be switched off where the resource does not check",
		Harm:   lab.LosesUpdate,
		Script: sleepy(30*time.Second, 15*time.Second),
		Faulty: []lab.Variant{
			{Name: "LockDelay 0", Mark: document, Guard: lab.NoGuard, Build: build(undelayed)},
			{Name: "LockDelay 0, " + counted, Mark: derived, Guard: lab.WriteFence, Build: build(undelayed.with(lockIndex))},
		},
		Repaired: []lab.Variant{
			{Name: "LockDelay 15 s", Mark: document, Guard: lab.NoGuard, Build: build(delayed)},
			{Name: "LockDelay 0, " + counted, Mark: derived, Guard: lab.ReadFence, Build: build(undelayed.with(lockIndex))},
		},
	}
}

func longPause() lab.Break {
	return lab.Break{
		ID: "C2", Mark: source,
		Title:  "the pause is longer than twice the TTL and the lock-delay together",
		Lesson: "a lock-delay moves the bound; a resource that checks removes it",
		Harm:   lab.LosesUpdate,
		Script: sleepy(45*time.Second, 15*time.Second),
		Faulty: []lab.Variant{
			{Name: "LockDelay 15 s", Mark: document, Guard: lab.NoGuard, Build: build(delayed)},
			{Name: counted, Mark: derived, Guard: lab.WriteFence, Build: build(delayed.with(lockIndex))},
		},
		Repaired: []lab.Variant{
			{Name: counted, Mark: derived, Guard: lab.ReadFence, Build: build(delayed.with(lockIndex))},
			{Name: "the resource reads the key", Mark: derived, Guard: lab.CheckThenAct, Build: build(delayed)},
		},
	}
}

func dropped() lab.Break {
	bounded := delayed
	bounded.deadline = true
	return lab.Break{
		ID: "C3", Mark: "[iss] #18271",
		Title:  "the holder is cut off, and neither its monitor nor its renewals ever say so",
		Lesson: "a wait without a deadline is not a watch: a holder has to give up when it has heard nothing for too long",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 50 * time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: 30 * time.Second})
			b.At(time.Second, func() { b.Cut([]string{"A"}, []string{one}, 3*time.Minute) })
		},
		Faulty: []lab.Variant{
			{Name: "api.Lock", Mark: issue, Guard: lab.NoGuard, Build: build(delayed)},
		},
		Repaired: []lab.Variant{
			{Name: "gives up after a TTL of silence", Mark: derived, Guard: lab.NoGuard, Build: build(bounded)},
			{Name: "api.Lock, " + counted, Mark: derived, Guard: lab.ReadFence, Build: build(delayed.with(lockIndex))},
		},
	}
}

func gossip() lab.Break {
	bound, bare := delayed, undelayed
	bound.health, bare.health = true, true
	return lab.Break{
		ID: "C4", Mark: document,
		Title:  "gossip takes the node of a healthy holder for dead, and its session ends at once",
		Lesson: "a failure detector that may be wrong ends a lease early: use a lock-delay, or a session with nothing but a TTL",
		Harm:   lab.Overlapping,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 10 * time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: 3 * time.Second})
			news(b, "gossip", 5*time.Second, "takes the node of A for dead", one, "critical A")
		},
		Faulty: []lab.Variant{
			{Name: "serfHealth, LockDelay 0", Mark: document, Guard: lab.NoGuard, Build: build(bare)},
		},
		Repaired: []lab.Variant{
			{Name: "serfHealth, LockDelay 15 s", Mark: document, Guard: lab.NoGuard, Build: build(bound)},
			{Name: "no health check, LockDelay 0", Mark: document, Guard: lab.NoGuard, Build: build(undelayed)},
		},
	}
}

func forgotten() lab.Break {
	return lab.Break{
		ID: "C5", Mark: derived,
		Title:  "the lock-delay is in no log: a server that was restored from a snapshot leads, and knows of none",
		Lesson: "whatever a promise to clients depends on belongs in the replicated state",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			sleepy(30*time.Second, 15*time.Second)(b)
			b.At(21*time.Second, func() { b.Crash(second, time.Second) })
			b.At(23*time.Second, func() { b.Crash(first, -1) })
			news(b, "Raft", 24*time.Second, "has "+second+" lead, and clients turn to it", second, "lead")
			b.At(24*time.Second, func() { b.Lock().(*lock).server = second })
		},
		Faulty: []lab.Variant{
			{Name: "LockDelay 15 s", Mark: derived, Guard: lab.NoGuard, Build: onTwo(delayed, false)},
		},
		Repaired: []lab.Variant{
			{Name: "a replicated delay (not in Consul)", Mark: derived, Guard: lab.NoGuard, Build: onTwo(delayed, true)},
			{Name: counted, Mark: derived, Guard: lab.ReadFence, Build: onTwo(delayed.with(lockIndex), false)},
		},
	}
}

func race() lab.Break {
	bound := delayed
	bound.health = true
	return lab.Break{
		ID: "C6", Mark: derived,
		Title:  "an acquire passes the check of the lock-delay, and its entry comes after the one that starts it",
		Lesson: "what is checked before an entry is appended may be untrue when it is applied",
		Harm:   lab.Overlapping,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 10 * time.Second})
			b.Client("B", lab.Job{Start: 5 * time.Second, Work: 3 * time.Second})
			news(b, "gossip", 5004*time.Millisecond, "takes the node of A for dead", one, "critical A")
		},
		Faulty: []lab.Variant{
			{Name: "LockDelay 15 s", Mark: derived, Guard: lab.NoGuard, Build: build(bound)},
		},
		Repaired: []lab.Variant{
			{Name: "checked when applied (not in Consul)", Mark: derived, Guard: lab.NoGuard, Build: on(bound, config{replicated: true})},
		},
	}
}

func reset() lab.Break {
	return lab.Break{
		ID: "C7", Mark: "[src] for the rules, [derived] for the effect",
		Title:  "the key is deleted, and LockIndex begins again at 1",
		Lesson: "a token that can begin again turns the fence against the rightful holder",
		Harm:   lab.RefusesHolder,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second, Rest: time.Second, Times: 2})
			b.Client("B", lab.Job{Start: 5 * time.Second, Work: time.Second})
			news(b, "operator", 4500*time.Millisecond, "deletes the key, as `consul lock` does after use", one, "delete")
		},
		Faulty: []lab.Variant{
			{Name: counted, Mark: derived, Guard: lab.ReadFence, Build: build(delayed.with(lockIndex))},
		},
		Repaired: []lab.Variant{
			{Name: "ModifyIndex of the acquire", Mark: derived, Guard: lab.ReadFence, Build: build(delayed.with(modifyIndex))},
		},
	}
}
