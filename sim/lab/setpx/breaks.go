package setpx

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// The names of machines: of the only instance, and of a primary and its replica.
const (
	one    = "redis"
	first  = "redis-1"
	second = "redis-2"
)

// onOne puts one instance into the world.
func onOne(l lock, c config) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		b.Node(one, sim.MachineConfig{Disk: sim.DiskConfig{Sync: sim.Table{time.Millisecond}}}, c.serve)
		mine := l
		mine.primary = one
		return &mine
	}
}

// onTwo puts a primary with a replica into the world.
func onTwo(l lock) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		b.Node(first, sim.MachineConfig{}, config{replica: second}.serve)
		b.Node(second, sim.MachineConfig{}, config{}.serve)
		mine := l
		mine.primary, mine.others = first, 1
		return &mine
	}
}

const (
	incr     = "INCR as token"
	noToken  = "as documented"
	derived  = "[derived]"
	document = "[doc]"
)

func pause() lab.Break {
	plain, counted := lock{ttl: 10 * time.Second}, lock{ttl: 10 * time.Second, token: true}
	return lab.Break{
		ID: "X1", Mark: "[known]",
		Title:  "the holder is paused for longer than its lease, after it has checked it",
		Lesson: "no check by the client before its write helps, since the pause may come after it; the resource has to refuse, from the new holder's read on, or to ask when the write is there",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 6 * time.Second})
			b.When("A", lab.Checked, func() { b.Pause("A", 15*time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: noToken, Mark: document, Guard: lab.NoGuard, Build: onOne(plain, config{})},
			{Name: incr, Mark: derived, Guard: lab.WriteFence, Build: onOne(counted, config{})},
		},
		Repaired: []lab.Variant{
			{Name: incr, Mark: derived, Guard: lab.ReadFence, Build: onOne(counted, config{})},
			{Name: "the resource does GET", Mark: derived, Guard: lab.CheckThenAct, Build: onOne(plain, config{})},
			{Name: noToken, Mark: document, Guard: lab.CompareAndSwap, Build: onOne(plain, config{})},
		},
	}
}

func step() lab.Break {
	plain, counted := lock{ttl: 30 * time.Second}, lock{ttl: 30 * time.Second, token: true}
	return lab.Break{
		ID: "X2", Mark: "[known]",
		Title:  "the server's wall clock is stepped forward, and the lease is over too early",
		Lesson: "the holder did all that it could and was never late by its own clock: such a lease promises nothing",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 25 * time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 20 * time.Second})
			b.At(10*time.Second, func() { b.StepWall(one, 20*time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: noToken, Mark: document, Guard: lab.NoGuard, Build: onOne(plain, config{})},
			{Name: incr, Mark: derived, Guard: lab.WriteFence, Build: onOne(counted, config{})},
		},
		Repaired: []lab.Variant{
			{Name: "expiry by a monotonic clock (not in Redis)", Mark: derived, Guard: lab.NoGuard, Build: onOne(plain, config{monotonic: true})},
			{Name: incr, Mark: derived, Guard: lab.ReadFence, Build: onOne(counted, config{})},
		},
	}
}

func failover() lab.Break {
	plain, counted := lock{ttl: 30 * time.Second}, lock{ttl: 30 * time.Second, token: true}
	return lab.Break{
		ID: "X3", Mark: "[doc]",
		Title:  "the primary dies before its replica has the key, and the replica is promoted",
		Lesson: "a token is no better than the memory of its counter: the promoted replica repeats it, and the fence sees two equal tokens",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.HoldBack(first, second, time.Minute)
			b.Client("A", lab.Job{Work: 5 * time.Second})
			b.Client("B", lab.Job{Start: 1500 * time.Millisecond, Work: 6 * time.Second})
			b.At(time.Second, func() { b.Crash(first, -1) })
			b.At(2*time.Second, func() {
				b.Say(second, "is promoted, and clients turn to it")
				l := b.Lock().(*lock)
				l.primary, l.others = second, 0
			})
		},
		Faulty: []lab.Variant{
			{Name: noToken, Mark: document, Guard: lab.NoGuard, Build: onTwo(plain)},
			{Name: incr, Mark: derived, Guard: lab.ReadFence, Build: onTwo(counted)},
		},
		Repaired: []lab.Variant{
			{Name: "WAIT for the only replica", Mark: derived, Guard: lab.NoGuard, Build: onTwo(lock{ttl: 30 * time.Second, wait: true})},
			{Name: noToken, Mark: document, Guard: lab.CompareAndSwap, Build: onTwo(plain)},
		},
	}
}

func restart() lab.Break {
	plain, counted := lock{ttl: 30 * time.Second}, lock{ttl: 30 * time.Second, token: true}
	return lab.Break{
		ID: "X4", Mark: "[doc]",
		Title:  "the instance loses power and starts again without the key",
		Lesson: "a power cut forgets a lock that was acknowledged before it was on the disk, and the counter of its token",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 5 * time.Second})
			b.Client("B", lab.Job{Start: 1800 * time.Millisecond, Work: 6 * time.Second})
			b.At(500*time.Millisecond, func() { b.Crash(one, time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: "appendonly no, the default", Mark: document, Guard: lab.NoGuard, Build: onOne(plain, config{})},
			{Name: incr + ", appendonly no", Mark: derived, Guard: lab.ReadFence, Build: onOne(counted, config{})},
			{Name: "appendfsync everysec", Mark: document, Guard: lab.NoGuard, Build: onOne(plain, config{appendFsync: "everysec"}), Sometimes: true},
		},
		Repaired: []lab.Variant{
			{Name: "appendfsync always", Mark: document, Guard: lab.NoGuard, Build: onOne(plain, config{appendFsync: "always"})},
			{Name: "appendonly no", Mark: document, Guard: lab.CompareAndSwap, Build: onOne(plain, config{})},
		},
	}
}

func delay() lab.Break {
	plain, counted := lock{ttl: 10 * time.Second}, lock{ttl: 10 * time.Second, token: true}
	return lab.Break{
		ID: "X5", Mark: "[derived]",
		Title:  "the holder checks its lease, and its write is on its way until the lease is over",
		Lesson: "a client can promise when it sends, and not when its message arrives: only the resource knows that",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 9900 * time.Millisecond})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 4 * time.Second})
			b.When("A", lab.Checked, func() { b.HoldBack("A", lab.Resource, 12*time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: noToken, Mark: document, Guard: lab.NoGuard, Build: onOne(plain, config{})},
			{Name: incr, Mark: derived, Guard: lab.WriteFence, Build: onOne(counted, config{})},
		},
		Repaired: []lab.Variant{
			{Name: incr, Mark: derived, Guard: lab.ReadFence, Build: onOne(counted, config{})},
			{Name: "the resource does GET", Mark: derived, Guard: lab.CheckThenAct, Build: onOne(plain, config{})},
			{Name: noToken, Mark: document, Guard: lab.CompareAndSwap, Build: onOne(plain, config{})},
		},
	}
}

func renewal() lab.Break {
	watched := lock{ttl: 30 * time.Second, renew: true, token: true}
	bounded := watched
	bounded.bound = 30 * time.Second
	return lab.Break{
		ID: "X6", Mark: "[iss] RedLock.net #68",
		Title:  "the watchdog renews the lock of a worker that is stuck",
		Lesson: "a renewal shows that a process lives, not that its work goes on; after a bound the stuck worker is one more late holder, for the resource to refuse",
		Harm:   lab.WaitsFor(90 * time.Second),
		Length: 2 * time.Minute,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Hour})
			b.Client("B", lab.Job{Start: time.Second, Work: time.Second})
			b.When("A", lab.Read, func() { b.Say("A", "its worker is stuck; its watchdog is not") })
		},
		Faulty: []lab.Variant{
			{Name: "a watchdog without an end", Mark: "[iss]", Guard: lab.NoGuard, Build: onOne(watched, config{})},
		},
		Repaired: []lab.Variant{
			{Name: "renewals end after 30 s", Mark: derived, Guard: lab.ReadFence, Build: onOne(bounded, config{})},
		},
	}
}
