package lessons

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// ignoreFailure goes on without the lock that it did not get.
func ignoreFailure(a *lab.App, s *scene) {
	h, _ := a.TryLock(5 * time.Second)
	v, _ := a.Read(h)
	a.Sleep(10 * time.Second)
	a.Write(h, v.Next())
	if h != nil {
		h.Release()
	}
}

// handleFailure does nothing without the lock, and comes again.
func handleFailure(a *lab.App, s *scene) {
	h, err := a.TryLock(5 * time.Second)
	for err != nil {
		a.Note("does not have the lock: %v", err)
		a.Sleep(a.Draw("again").Duration(time.Second, 3*time.Second))
		h, err = a.TryLock(5 * time.Second)
	}
	v, _ := a.Read(h)
	a.Sleep(10 * time.Second)
	a.Write(h, v.Next())
	h.Release()
}

func ignoredFailure() Lesson {
	return Lesson{
		Name: "ignored-failure", File: "ignored_failure.go",
		Title: "a program that continues although it did not get the lock",
		Says:  "no fault is needed: the lock did all it could. An acquire that failed or ran out of time is an error like any other, and what follows must not run. Most losses of this kind hide behind a log line",
		harm:  []harm{lostUpdate},
		script: func(s *scene) {
			s.client("A", 0)
			s.client("B", time.Second)
		},
		programs: []program{
			{name: "ignoreFailure", note: "our cell", wrong: true, build: cell, guard: lab.NoGuard, run: ignoreFailure},
			{name: "handleFailure", note: "our cell", build: cell, guard: lab.NoGuard, run: handleFailure},
		},
	}
}
