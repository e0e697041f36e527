package lessons

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const renders = 4 // pages, each of which takes two seconds

// countPages keeps the number of rendered pages under a lock that may fail.
func countPages(a *lab.App, s *scene) {
	for range renders {
		h := a.Lock()
		v, _ := a.Read(h)
		a.Sleep(2 * time.Second) // renders the page
		a.Write(h, v.Next())     // must not come late, and may
		h.Release()
	}
}

// renderWithoutLock renders each page, which all clients do.
func renderWithoutLock(a *lab.App, s *scene) {
	for page := range renders {
		if ask(a, pages, fmt.Sprintf("have page-%d", page)) == "false" {
			a.Sleep(2 * time.Second)
			ask(a, pages, fmt.Sprintf("store page-%d", page))
		}
	}
}

// renderUnderLock renders each page that is not there, under the same lock: it only saves work.
func renderUnderLock(a *lab.App, s *scene) {
	for page := range renders {
		h := a.Lock()
		if ask(a, pages, fmt.Sprintf("have page-%d", page)) == "false" {
			a.Sleep(2 * time.Second)
			ask(a, pages, fmt.Sprintf("store page-%d", page)) // twice is harmless
		}
		h.Release()
	}
}

func efficiency() Lesson {
	return Lesson{
		Name: "efficiency", File: "efficiency.go",
		Title: "a lock that only saves work may fail; one that guards data may not",
		Says:  "ask first what happens if two clients hold the lock. If work is done twice, a lease on one server will do; if a number is wrong, the resource that has the number must guard it",
		harm:  []harm{lostUpdate},
		shows: []count{noted("rendered", "%d pages rendered"), noted("for nothing", "%d of them for nothing")},
		script: func(s *scene) {
			s.pages()
			for i, name := range []string{"A", "B", "C"} {
				s.client(name, time.Duration(i)*100*time.Millisecond)
			}
			s.At(time.Second, func() { s.Pause("A", 45*time.Second) })
		},
		programs: []program{
			{name: "countPages", note: "a number under a lease of 30 s", wrong: true, build: redis, guard: lab.NoGuard, run: countPages},
			{name: "renderWithoutLock", note: "the same bytes each time, no lock", build: redis, guard: lab.NoGuard, run: renderWithoutLock},
			{name: "renderUnderLock", note: "the same bytes each time, the same lease", build: redis, guard: lab.NoGuard, run: renderUnderLock},
		},
	}
}
