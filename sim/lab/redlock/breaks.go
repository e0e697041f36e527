package redlock

import (
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const (
	ttl     = 10 * time.Second
	plainly = "as documented"
	derived = "[derived]"
	doc     = "[doc]"
)

var (
	faulty    = lab.Variant{Name: plainly, Mark: doc, Guard: lab.NoGuard, Build: build(lock{ttl: ttl}, config{})}
	toothless = lab.Variant{Name: "no token to compare", Mark: derived, Guard: lab.ReadFence, Build: build(lock{ttl: ttl}, config{})}
	asks      = lab.Variant{Name: "GET on all five", Mark: derived, Guard: lab.CheckThenAct, Build: build(lock{ttl: ttl}, config{})}
	compares  = lab.Variant{Name: plainly, Mark: doc, Guard: lab.CompareAndSwap, Build: build(lock{ttl: ttl}, config{})}
)

// apart begins a run in which A reaches a, b and c, and B starts when all are reached again.
func apart(b *lab.Bench) {
	b.Client("A", lab.Job{Work: 6 * time.Second})
	b.Client("B", lab.Job{Start: 2 * time.Second, Work: 6 * time.Second})
	b.Cut([]string{"A"}, nodes[3:], 900*time.Millisecond)
}

func step() lab.Break {
	return lab.Break{
		ID: "R1", Mark: "[known]",
		Title:  "the wall clock of one instance is stepped forward, and two majorities meet in it",
		Lesson: "a majority does not help where a member forgets its vote; the lease goes by a clock that an operator sets",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			apart(b)
			b.At(time.Second, func() { b.StepWall("redis-c", ttl) })
		},
		Faulty: []lab.Variant{faulty, toothless},
		Repaired: []lab.Variant{
			{Name: "expiry by a monotonic clock (not in Redis)", Mark: derived, Guard: lab.NoGuard, Build: build(lock{ttl: ttl}, config{monotonic: true})},
			asks, compares,
		},
	}
}

func pause() lab.Break {
	return lab.Break{
		ID: "R2", Mark: "[known]",
		Title:  "the holder is paused for longer than its lease, after it has checked it",
		Lesson: "five instances help no more than one against a late client: it measured the time before its pause",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 100 * time.Millisecond})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 4 * time.Second})
			b.When("A", lab.Checked, func() { b.Pause("A", 12*time.Second) })
		},
		Faulty:   []lab.Variant{faulty, toothless},
		Repaired: []lab.Variant{asks, compares},
	}
}

func restart() lab.Break {
	return lab.Break{
		ID: "R3", Mark: "[doc]",
		Title:  "an instance of the majority restarts without the key, and joins a second majority",
		Lesson: "a member that forgot what it granted must not vote until all that it may have granted is over",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			apart(b)
			b.At(time.Second, func() { b.Crash("redis-c", 500*time.Millisecond) })
		},
		Faulty: []lab.Variant{faulty, toothless},
		Repaired: []lab.Variant{
			{Name: "a restarted instance stays out for 11 s", Mark: doc, Guard: lab.NoGuard, Build: build(lock{ttl: ttl}, config{stayOut: ttl + time.Second})},
			asks,
		},
	}
}

func rate() lab.Break {
	return lab.Break{
		ID: "R4", Mark: "[known]",
		Title:  "the clocks of three instances run 20 % fast, and keys expire before the holder expects it",
		Lesson: "the allowance of 1 % assumes a bound on clocks; a larger one buys safety with a shorter lease",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 9 * time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 4 * time.Second})
			for _, name := range nodes[:3] {
				b.Rate(name, 20)
			}
		},
		Faulty: []lab.Variant{faulty, toothless},
		Repaired: []lab.Variant{
			{Name: "an allowance of 25 %", Mark: derived, Guard: lab.NoGuard, Build: build(lock{ttl: ttl, drift: 25}, config{})},
			asks, compares,
		},
	}
}

func delay() lab.Break {
	return lab.Break{
		ID: "R5", Mark: "[derived]",
		Title:  "the holder checks its lease, and its write is on its way until the lease is over",
		Lesson: "the client's check is about the instant of sending; only the resource knows when a write arrives",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 9800 * time.Millisecond})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 4 * time.Second})
			b.When("A", lab.Checked, func() { b.HoldBack("A", lab.Resource, 12*time.Second) })
		},
		Faulty:   []lab.Variant{faulty, toothless},
		Repaired: []lab.Variant{asks, compares},
	}
}

func relapse() lab.Break {
	again, touch := lock{ttl: ttl, extend: "extend-or-set"}, lock{ttl: ttl, extend: "extend"}
	return lab.Break{
		ID: "R6", Mark: "[derived]",
		Title:  "an extension re-creates the key that had lapsed, after another client held and released the lock",
		Lesson: "to hold again is not to have held throughout: what was read before the gap is old, and the library hid the gap",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: time.Second})
			b.When("A", lab.Read, func() { b.Pause("A", 15*time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: "WithSetNXOnExtend", Mark: derived, Guard: lab.NoGuard, Build: build(again, config{})},
			{Name: "WithSetNXOnExtend, GET on all five", Mark: derived, Guard: lab.CheckThenAct, Build: build(again, config{})},
		},
		Repaired: []lab.Variant{
			{Name: "extension of an existing key only", Mark: "[src]", Guard: lab.NoGuard, Build: build(touch, config{})},
			{Name: "WithSetNXOnExtend", Mark: derived, Guard: lab.CompareAndSwap, Build: build(again, config{})},
		},
	}
}

func split() lab.Break {
	return lab.Break{
		ID: "R7", Mark: "[doc]",
		Title:  "three clients ask at once, each gets the instances near to it, and none a majority",
		Lesson: "votes without a leader can be split again and again; what ends it is that clients retry at different times",
		Harm:   lab.WaitsFor(10 * time.Second),
		Length: 30 * time.Second,
		Script: func(b *lab.Bench) {
			near := map[string]string{"A": "redis-a redis-b", "B": "redis-c redis-d", "C": "redis-e"}
			for _, client := range []string{"A", "B", "C"} {
				b.Client(client, lab.Job{Work: time.Second})
				b.Say(client, "is near to %s; to the others a message takes 20 ms", near[client])
				slow(b, client, near[client])
			}
		},
		Faulty: []lab.Variant{
			{Name: "all sleep 150 ms before a retry", Mark: derived, Guard: lab.NoGuard, Build: build(lock{ttl: ttl, steady: true}, config{})},
		},
		Repaired: []lab.Variant{
			{Name: "retries after 50 to 250 ms", Mark: "[src]", Guard: lab.NoGuard, Build: build(lock{ttl: ttl}, config{})},
		},
	}
}

// slow makes all instances far for a client but those that are near.
func slow(b *lab.Bench, client, near string) {
	for _, name := range nodes {
		if !strings.Contains(near, name) {
			b.World().Net().Link(b.Machine(client).Addr(), b.Machine(name).Addr()).Slow(40)
		}
	}
}
