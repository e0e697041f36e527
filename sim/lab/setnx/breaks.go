package setnx

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

const (
	plainly = "as documented"
	derived = "[derived]"
	doc     = "[doc]"
	known   = "[known]"
)

var (
	faulty   = lab.Variant{Name: plainly, Mark: doc, Guard: lab.NoGuard, Build: onOne(lock{}, config{})}
	asks     = lab.Variant{Name: "the resource does GET", Mark: derived, Guard: lab.CheckThenAct, Build: onOne(lock{}, config{})}
	compares = lab.Variant{Name: plainly, Mark: derived, Guard: lab.CompareAndSwap, Build: onOne(lock{}, config{})}
	atomic   = lab.Variant{Name: "SET NX PX, one command", Mark: doc, Guard: lab.NoGuard, Build: onOne(lock{ttl: 30 * time.Second, atomic: true, compare: true}, config{})}
)

func crash() lab.Break {
	return lab.Break{
		ID: "S1", Mark: known,
		Title:  "the holder crashes, and nothing ends its lock",
		Lesson: "a lock without an expiry is safe as long as all holders live, and blocks all others for ever after the first crash",
		Harm:   lab.WaitsFor(time.Minute),
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: time.Second})
			b.When("A", lab.Read, func() { b.Crash("A", -1) })
		},
		Faulty:   []lab.Variant{faulty},
		Repaired: []lab.Variant{atomic},
	}
}

func between() lab.Break {
	return lab.Break{
		ID: "S2", Mark: known,
		Title:  "the holder crashes between SETNX and EXPIRE",
		Lesson: "two commands are two chances to crash: the expiry has to come with the key",
		Harm:   lab.WaitsFor(time.Minute),
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: time.Second})
			b.At(1600*time.Microsecond, func() { b.Crash("A", -1) })
		},
		Faulty: []lab.Variant{
			{Name: "SETNX, then EXPIRE", Mark: known, Guard: lab.NoGuard, Build: onOne(lock{ttl: 30 * time.Second}, config{})},
		},
		Repaired: []lab.Variant{atomic},
	}
}

// operator deletes the key at a true time.
func operator(b *lab.Bench, at time.Duration) {
	b.Node("operator", sim.MachineConfig{}, func(n *lab.Node) {
		n.Sleep(at)
		n.Note("takes the holder for dead, and deletes the key")
		n.Call(one, "DEL "+key, patience)
	})
}

func deleted() lab.Break {
	return lab.Break{
		ID: "S3", Mark: known,
		Title:  "an operator deletes the key of a holder that is only paused",
		Lesson: "to break a lock is to grant it twice, unless the resource refuses the first holder; to be slow and to be dead look alike",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 10 * time.Second})
			b.When("A", lab.Read, func() { b.Pause("A", 15*time.Second) })
			operator(b, 10*time.Second)
		},
		Faulty:   []lab.Variant{faulty},
		Repaired: []lab.Variant{asks, compares},
	}
}

func release() lab.Break {
	return lab.Break{
		ID: "S4", Mark: known,
		Title:  "a late holder releases the lock of the next one",
		Lesson: "a release has to name what it releases: DEL frees the lock of every client",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 10 * time.Second})
			b.Client("C", lab.Job{Start: 12 * time.Second, Work: 8 * time.Second})
			b.When("A", lab.Written, func() { b.Pause("A", 15*time.Second) })
			operator(b, 10*time.Second)
		},
		Faulty: []lab.Variant{faulty},
		Repaired: []lab.Variant{
			{Name: "release by a script that compares", Mark: doc, Guard: lab.NoGuard, Build: onOne(lock{compare: true}, config{})},
		},
	}
}

func failover() lab.Break {
	return lab.Break{
		ID: "S5", Mark: doc,
		Title:  "the primary dies before its replica has the key, and the replica is promoted",
		Lesson: "an answer of a primary says nothing of its replicas; a lock has to survive the server that granted it",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.HoldBack(first, second, time.Minute)
			b.Client("A", lab.Job{Work: 5 * time.Second})
			b.Client("B", lab.Job{Start: 1500 * time.Millisecond, Work: 6 * time.Second})
			b.At(time.Second, func() { b.Crash(first, -1) })
			b.At(2*time.Second, func() {
				b.Say(second, "is promoted, and clients turn to it")
				l := b.Lock().(*lock)
				l.primary, l.wait = second, false
			})
		},
		Faulty: []lab.Variant{{Name: plainly, Mark: doc, Guard: lab.NoGuard, Build: onTwo(lock{})}},
		Repaired: []lab.Variant{
			{Name: "WAIT for the only replica", Mark: derived, Guard: lab.NoGuard, Build: onTwo(lock{wait: true})},
			{Name: plainly, Mark: derived, Guard: lab.CompareAndSwap, Build: onTwo(lock{})},
		},
	}
}

func restart() lab.Break {
	on := func(fsync string) func(b *lab.Bench) lab.Lock { return onOne(lock{}, config{appendFsync: fsync}) }
	return lab.Break{
		ID: "S6", Mark: doc,
		Title:  "the instance loses power and starts again without the key",
		Lesson: "up to a second of acknowledged commands is not on the disk by default, and none without an append-only file",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Start: 100 * time.Millisecond, Work: 5 * time.Second})
			b.Client("B", lab.Job{Start: 1800 * time.Millisecond, Work: 6 * time.Second})
			b.At(500*time.Millisecond, func() { b.Crash(one, time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: "appendonly no, the default", Mark: doc, Guard: lab.NoGuard, Build: onOne(lock{}, config{})},
			{Name: "appendfsync everysec", Mark: doc, Guard: lab.NoGuard, Build: on("everysec"), Sometimes: true},
		},
		Repaired: []lab.Variant{
			{Name: "appendfsync always", Mark: doc, Guard: lab.NoGuard, Build: on("always")},
			{Name: "appendonly no", Mark: derived, Guard: lab.CompareAndSwap, Build: onOne(lock{}, config{})},
		},
	}
}

func eviction() lab.Break {
	const room = 100
	return lab.Break{
		ID: "S7", Mark: doc,
		Title:  "the memory is full, and the instance evicts the key of the lock",
		Lesson: "a cache may forget whatever it likes; a lock service must not share its memory with one",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 5 * time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 6 * time.Second})
			b.Node("cache", sim.MachineConfig{}, func(n *lab.Node) {
				n.Sleep(time.Second)
				n.Note("a program sets %d other keys on the same instance", room)
				for i := range room {
					n.Call(one, fmt.Sprintf("SET page:%d x", i), patience)
				}
			})
		},
		Faulty: []lab.Variant{
			{Name: "allkeys-lru", Mark: doc, Guard: lab.NoGuard, Build: onOne(lock{}, config{room: room, evicts: true})},
		},
		Repaired: []lab.Variant{
			{Name: "noeviction", Mark: doc, Guard: lab.NoGuard, Build: onOne(lock{}, config{room: room})},
			{Name: "allkeys-lru", Mark: derived, Guard: lab.CompareAndSwap, Build: onOne(lock{}, config{room: room, evicts: true})},
		},
	}
}
