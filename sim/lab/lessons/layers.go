package lessons

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// orderOnce counts an order under a lease and a fence, and then pays for it with a key.
func orderOnce(a *lab.App, s *scene) {
	countOrder(a, s)
	order := orderOf[a.Name()]
	ask(a, bank, "pay "+order+" key-of-"+order) // the key: an answer that is late does no harm
}

// orderWithoutKey is the same, and pays without a key.
func orderWithoutKey(a *lab.App, s *scene) {
	countOrder(a, s)
	ask(a, bank, "pay "+orderOf[a.Name()])
}

// countOrder is what both do under the lock.
func countOrder(a *lab.App, s *scene) {
	for {
		h := a.Lock() // the lease: it ends when a holder dies
		v, err := a.Read(h)
		a.Sleep(time.Second)
		if err == nil {
			err = a.Write(h, v.Next()) // the fence: it refuses those that come late
		}
		h.Release()
		if err == nil {
			return
		}
	}
}

var orderOf = map[string]string{"A": "order-1", "B": "order-2", "C": "order-3", "D": "order-4", "E": "order-5"}

func layers() Lesson {
	return Lesson{
		Name: "layers", File: "layers.go",
		Title: "lease, fence and key: each handles a fault that the others do not",
		Says:  "the lease frees the lock of a dead holder, the fence refuses a holder that is alive and late, and the key makes a repeated request count once. Without one of them its fault does harm, and the other two do not help",
		harm:  []harm{lostUpdate, paidTwice, waitsLongerThan(time.Minute)},
		script: func(s *scene) {
			s.bank()
			s.client("A", 0)
			s.client("B", 3*time.Second)
			s.client("C", 4*time.Second)
			s.client("D", 50*time.Second)
			s.client("E", 51*time.Second)
			s.HoldBack(bank, "A", 3*time.Second)                              // for the key
			s.When("B", lab.Checked, func() { s.Pause("B", 45*time.Second) }) // for the fence
			s.When("D", lab.Read, func() { s.Crash("D", -1) })                // for the lease
		},
		length: 3 * time.Minute,
		programs: []program{
			{name: "orderWithoutKey", note: "lease and fence, no key", wrong: true, build: redis, guard: lab.ReadFence, run: orderWithoutKey},
			{name: "orderOnce", note: "lease and key, no fence", wrong: true, build: redis, guard: lab.NoGuard, run: orderOnce},
			{name: "orderOnce", note: "key and fence, no lease", wrong: true, build: forever, guard: lab.ReadFence, run: orderOnce},
			{name: "orderOnce", note: "lease, fence and key", build: redis, guard: lab.ReadFence, run: orderOnce},
		},
	}
}
