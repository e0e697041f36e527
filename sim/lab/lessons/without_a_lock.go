package lessons

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

const times = 5 // that each of three clients adds one

// addUnderLock adds under a lease, which a pause outlasts.
func addUnderLock(a *lab.App, s *scene) {
	for range times {
		h := a.Lock()
		v, _ := a.Read(h)
		a.Sleep(time.Second)
		a.Write(h, v.Next())
		h.Release()
	}
}

// addAndRepeat has the accounts add, and asks again when it hears nothing.
func addAndRepeat(a *lab.App, s *scene) {
	for range times {
		a.Sleep(time.Second)
		ask(a, accounts, "add 1")
	}
}

// compareAndSet works first, and then tries until no other write came between its read and its own.
func compareAndSet(a *lab.App, s *scene) {
	for range times {
		a.Sleep(time.Second)
		v, _ := a.Read(nil)
		for a.Write(nil, v.Next()) != nil {
			v, _ = a.Read(nil)
		}
	}
}

// optimisticVersion works on what it has read, and does the work anew if that was changed.
func optimisticVersion(a *lab.App, s *scene) {
	for range times {
		for written := false; !written; {
			v, _ := a.Read(nil)
			a.Sleep(time.Second)
			s.counts["works"]++
			written = a.Write(nil, v.Next()) == nil
		}
		a.Sleep(a.Draw("rest").Duration(0, 3*time.Second))
	}
}

// addWithKey names each addition, so that the accounts add it once, however often it is sent.
func addWithKey(a *lab.App, s *scene) {
	for i := range times {
		a.Sleep(time.Second)
		ask(a, accounts, fmt.Sprintf("add 1 %s-%d", a.Name(), i))
	}
}

// addByQueue hands each addition to a queue, behind which one worker adds.
func addByQueue(a *lab.App, s *scene) {
	for i := range times {
		a.Sleep(time.Second)
		ask(a, "queue", fmt.Sprintf("add 1 %s-%d", a.Name(), i))
	}
}

// queue puts a queue with one worker into the world, which adds one after the other.
func (s *scene) queue() {
	s.Node("queue", sim.MachineConfig{}, func(n *lab.Node) {
		done := map[string]bool{}
		n.Queue().Each(func(r lab.Request) {
			if done[r.Text] {
				s.counts["again"]++
			} else {
				done[r.Text] = true
				s.counts["sum"]++
			}
			n.Answer(r, "queued")
		})
	})
}

func withoutALock() Lesson {
	return Lesson{
		Name: "without-a-lock", File: "without_a_lock.go",
		Title: "the same work without a lock",
		Says:  "if the resource can compare, or add by itself, no lease is needed, and no pause does harm. What remains is the lost answer: each request needs a name. Under contention optimistic work is repeated, while a queue decides the order",
		harm:  []harm{wrongSum(3 * times)},
		shows: []count{noted("works", "work done %d times"), noted("again", "%d requests came again")},
		script: func(s *scene) {
			s.accounts()
			s.queue()
			for i, name := range []string{"A", "B", "C"} {
				s.client(name, time.Duration(i)*100*time.Millisecond)
			}
			for _, from := range []string{accounts, "queue"} {
				s.HoldBack(from, "B", 5*time.Second)
			}
			s.At(4*time.Second, func() {
				who := s.Holder()
				if who == "" {
					who = "A"
				}
				s.Pause(who, 45*time.Second)
			})
		},
		programs: []program{
			{name: "addUnderLock", note: "Redis, lease of 30 s", wrong: true, build: redis, guard: lab.NoGuard, run: addUnderLock},
			{name: "addAndRepeat", note: "no lock, no names", wrong: true, build: redis, guard: lab.NoGuard, run: addAndRepeat},
			{name: "compareAndSet", note: "no lock", build: redis, guard: lab.CompareAndSwap, run: compareAndSet},
			{name: "optimisticVersion", note: "no lock", build: redis, guard: lab.CompareAndSwap, run: optimisticVersion},
			{name: "addWithKey", note: "no lock", build: redis, guard: lab.NoGuard, run: addWithKey},
			{name: "addByQueue", note: "no lock", build: redis, guard: lab.NoGuard, run: addByQueue},
		},
	}
}
