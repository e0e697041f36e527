package rowlock

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const (
	plainly  = "as documented"
	reaper   = "a reaper"
	epoch    = "epoch"
	derived  = "[derived]"
	document = "[doc]"
	known    = "[known]"
)

// stale is S.
const stale = 60 * time.Second

var (
	plain  = lab.Variant{Name: plainly, Mark: known, Guard: lab.NoGuard, Build: onOne(lock{})}
	reaps  = lab.Variant{Name: reaper, Mark: known, Guard: lab.NoGuard, Build: reaped(lock{}, stale)}
	taken  = lab.Variant{Name: epoch, Mark: known, Guard: lab.NoGuard, Build: onOne(lock{stale: stale})}
	writes = lab.Variant{Name: epoch, Mark: known, Guard: lab.WriteFence, Build: onOne(lock{stale: stale})}
	reads  = lab.Variant{Name: epoch, Mark: derived, Guard: lab.ReadFence, Build: onOne(lock{stale: stale})}
	within = lab.Variant{Name: epoch, Mark: known, Guard: lab.NoGuard, Inside: true, Build: onOne(lock{stale: stale})}
)

func crash() lab.Break {
	return lab.Break{
		ID: "D1", Mark: known,
		Title:  "the holder crashes, and its row stays",
		Lesson: "a row is no lease: what ends it is a second program or the next client, and both go by its age alone",
		Harm:   lab.WaitsFor(90 * time.Second),
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 500 * time.Millisecond, Work: time.Second})
			b.When("A", lab.Read, func() { b.Crash("A", -1) })
		},
		Faulty:   []lab.Variant{plain},
		Repaired: []lab.Variant{reaps, taken},
	}
}

func pause() lab.Break {
	return lab.Break{
		ID: "D2", Mark: known,
		Title:  "the holder is paused for longer than S, and the reaper deletes its row",
		Lesson: "S is a lease that the holder does not know of; a transaction that looks at the epoch and writes is exact",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 40 * time.Second})
			b.When("A", lab.Read, func() { b.Pause("A", 90*time.Second) })
		},
		Faulty: []lab.Variant{reaps, writes},
		Repaired: []lab.Variant{
			reads, within,
			{Name: "no reaper", Mark: derived, Guard: lab.NoGuard, Build: onOne(lock{})},
			{Name: reaper, Mark: derived, Guard: lab.CompareAndSwap, Build: reaped(lock{}, stale)},
		},
	}
}

func drift() lab.Break {
	return lab.Break{
		ID: "D3", Mark: known,
		Title:  "acquired_at is by a client's clock, 50 s behind that of the database, which the reaper goes by",
		Lesson: "an age is the difference of two readings of one clock; with two clocks it is a guess",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Start: time.Second, Work: 30 * time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 25 * time.Second})
			b.StepWall("A", -50*time.Second)
		},
		Faulty: []lab.Variant{
			{Name: reaper + ", acquired_at by the client", Mark: known, Guard: lab.NoGuard, Build: reaped(lock{stamps: true}, stale)},
		},
		Repaired: []lab.Variant{
			{Name: reaper + ", acquired_at by the database", Mark: known, Guard: lab.NoGuard, Build: reaped(lock{}, stale)},
			within,
			{Name: reaper + ", acquired_at by the client", Mark: derived, Guard: lab.CompareAndSwap, Build: reaped(lock{stamps: true}, stale)},
		},
	}
}

func release() lab.Break {
	return lab.Break{
		ID: "D4", Mark: known,
		Title:  "a late holder deletes the row of the next one",
		Lesson: "a release has to name its holder; a transaction that looks at the epoch refuses the one that was robbed",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 50 * time.Second})
			b.Client("C", lab.Job{Start: 65 * time.Second, Work: 25 * time.Second})
			b.When("A", lab.Written, func() { b.Pause("A", 90*time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: "DELETE, " + reaper, Mark: known, Guard: lab.NoGuard, Build: reaped(lock{blind: true}, stale)},
		},
		Repaired: []lab.Variant{
			{Name: "DELETE ... AND holder, " + reaper, Mark: known, Guard: lab.NoGuard, Build: reaped(lock{}, stale)},
			{Name: epoch, Mark: known, Guard: lab.NoGuard, Inside: true, Build: onOne(lock{stale: stale, blind: true})},
		},
	}
}

func failover() lab.Break {
	return lab.Break{
		ID: "D5", Mark: known,
		Title:  "the primary dies before its replica has the row, and the replica is promoted",
		Lesson: "the epoch is lost with the row, and is given again; only a holder's own name is given once",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.HoldBack(first, second, time.Minute)
			b.Client("A", lab.Job{Work: 5 * time.Second})
			b.Client("B", lab.Job{Start: 2100 * time.Millisecond, Work: 8 * time.Second})
			b.At(time.Second, func() { b.Crash(first, -1) })
			b.At(2*time.Second, func() {
				b.Say(second, "is promoted, and clients turn to it")
				b.Lock().(*lock).server = second
			})
		},
		Faulty: []lab.Variant{
			{Name: plainly, Mark: known, Guard: lab.NoGuard, Build: onTwo(lock{}, false)},
			{Name: epoch, Mark: known, Guard: lab.ReadFence, Build: onTwo(lock{stale: stale}, false)},
			{Name: epoch, Mark: known, Guard: lab.NoGuard, Inside: true, Build: onTwo(lock{stale: stale}, false)},
		},
		Repaired: []lab.Variant{
			{Name: "synchronous replica", Mark: document, Guard: lab.NoGuard, Build: onTwo(lock{}, true)},
			{Name: "epoch and holder compared", Mark: derived, Guard: lab.NoGuard, Inside: true, Build: onTwo(lock{stale: stale, whole: true}, false)},
			{Name: plainly, Mark: derived, Guard: lab.CompareAndSwap, Build: onTwo(lock{}, false)},
		},
	}
}

func ambiguous() lab.Break {
	return lab.Break{
		ID: "D6", Mark: known,
		Title:  "the answer to a commit is lost, and the client is kept out by its own row",
		Lesson: "a statement without an answer may have been committed: give it a name by which you know it again, and look",
		Harm:   lab.WaitsFor(30 * time.Second),
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.HoldBack(one, "A", 800*time.Millisecond)
			b.Client("B", lab.Job{Start: 5 * time.Second, Work: time.Second})
		},
		Faulty: []lab.Variant{
			{Name: plainly, Mark: known, Guard: lab.NoGuard, Build: onOne(lock{})},
			reaps,
		},
		Repaired: []lab.Variant{
			{Name: "it looks whose the row is", Mark: derived, Guard: lab.NoGuard, Build: onOne(lock{looks: true})},
		},
	}
}
