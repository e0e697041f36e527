package chubby

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const (
	src   = "[src]"
	known = "[known]"
)

// with is the cell with a lock-delay, and a resource that guards itself so.
func with(name string, d time.Duration, v lab.Variant) lab.Variant {
	v.Name, v.Mark, v.Build = name, src, build(d, lease)
	return v
}

var (
	bare     = lab.Variant{Guard: lab.NoGuard}
	onWrites = lab.Variant{Guard: lab.WriteFence}
	onReads  = lab.Variant{Guard: lab.ReadFence}
	asks     = lab.Variant{Guard: lab.CheckThenAct}
)

func pause() lab.Break {
	const d = 10 * time.Second
	return lab.Break{
		ID: "K1", Mark: known,
		Title:  "the holder is paused for longer than its lease and the lock-delay",
		Lesson: "no lease and no delay outlasts every pause: the resource has to look at sequencers, from the new holder's read on",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 5 * time.Second, Work: 60 * time.Second})
			b.When("A", lab.Checked, func() { b.Pause("A", time.Minute) })
		},
		Faulty:   []lab.Variant{with("lock-delay 10 s", d, bare), with("lock-delay 10 s", d, onWrites)},
		Repaired: []lab.Variant{with("lock-delay 10 s", d, onReads), with("CheckSequencer", d, asks)},
	}
}

func delay() lab.Break {
	return lab.Break{
		ID: "K2", Mark: known,
		Title:  "the holder is paused for longer than its lease, and writes within the lock-delay",
		Lesson: "the lock-delay protects resources that look at nothing, for as long as it lasts; the log has it, so a new master keeps it",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 5 * time.Second, Work: 30 * time.Second})
			b.When("A", lab.Checked, func() { b.Pause("A", 30*time.Second) })
		},
		Faulty:   []lab.Variant{with("no lock-delay", 0, bare)},
		Repaired: []lab.Variant{with("lock-delay 30 s", 30*time.Second, bare), with("no lock-delay", 0, onReads)},
	}
}

func crash() lab.Break {
	return lab.Break{
		ID: "K3", Mark: src,
		Title:  "the holder crashes",
		Lesson: "what ends the lock of a dead client is the lease of its session; a cell without leases waits for an operator",
		Harm:   lab.WaitsFor(time.Minute),
		Length: 100 * time.Second,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 5 * time.Second, Work: time.Second})
			b.When("A", lab.Read, func() { b.Crash("A", -1) })
		},
		Faulty:   []lab.Variant{{Name: "sessions without leases", Mark: src, Guard: lab.NoGuard, Build: build(0, 0)}},
		Repaired: []lab.Variant{with("leases of 12 s, lock-delay 10 s", 10*time.Second, bare)},
	}
}

func rate() lab.Break {
	return lab.Break{
		ID: "K4", Mark: known,
		Title:  "the holder's clock runs at a third of its speed, and it is cut off from the cell",
		Lesson: "a lease is as good as the bound on clocks that it assumes; the lock-delay and the fence do not need it",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 9 * time.Second})
			b.Client("B", lab.Job{Start: 5 * time.Second, Work: 15 * time.Second})
			b.When("A", lab.Read, func() {
				b.Rate("A", -66)
				b.Cut([]string{"A"}, names, time.Minute)
			})
		},
		Faulty:   []lab.Variant{with("no lock-delay", 0, bare)},
		Repaired: []lab.Variant{with("lock-delay 30 s", 30*time.Second, bare), with("no lock-delay", 0, onReads)},
	}
}
