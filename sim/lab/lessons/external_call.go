package lessons

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// callUnderLock asks the bank while it holds the lock.
func callUnderLock(a *lab.App, s *scene) {
	h := a.Lock()
	v, _ := a.Read(h)
	a.Call(bank, "pay order-1", time.Hour) // as long as the bank likes
	a.Write(h, v.Next())
	h.Release()
}

// callBeforeLock asks the bank first, and holds the lock for the update alone.
func callBeforeLock(a *lab.App, s *scene) {
	a.Call(bank, "pay order-1", time.Hour)
	h := a.Lock()
	v, _ := a.Read(h)
	a.Write(h, v.Next())
	h.Release()
}

func externalCall() Lesson {
	return Lesson{
		Name: "external-call", File: "external_call.go",
		Title: "a lock that is held during a call to another service",
		Says:  "a call to another service may take any time. If the lock is renewed meanwhile, all other clients wait; if it is not, its lease ends before the call does. Hold a lock only for what your own program does",
		harm:  []harm{lostUpdate, waitsLongerThan(10 * time.Second)},
		script: func(s *scene) {
			s.bank()
			s.client("A", 0)
			s.client("B", 5*time.Second)
			s.HoldBack(bank, "A", time.Minute)
			s.At(30*time.Second, func() { s.HoldBack(bank, "B", 70*time.Second) }) // by then only a late B is there
		},
		programs: []program{
			{name: "callUnderLock", note: "our cell renews the session", wrong: true, build: cell, guard: lab.NoGuard, run: callUnderLock},
			{name: "callUnderLock", note: "Redis, lease of 30 s", wrong: true, build: redis, guard: lab.NoGuard, run: callUnderLock},
			{name: "callBeforeLock", note: "our cell", build: cell, guard: lab.NoGuard, run: callBeforeLock},
			{name: "callBeforeLock", note: "Redis, lease of 30 s", build: redis, guard: lab.NoGuard, run: callBeforeLock},
		},
	}
}
