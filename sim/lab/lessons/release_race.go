package lessons

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// setKey is the acquire of both programs: SET NX PX with a random value.
func setKey(a *lab.App) *lab.Held {
	for {
		value := a.Random("value", 20)
		if answer, _ := a.Call("redis", "SET lock "+value+" NX PX 30000", patience); answer == "OK" {
			return a.Take(lab.Grant{Name: value})
		}
		a.Sleep(a.Draw("retry").Duration(50*time.Millisecond, 150*time.Millisecond))
	}
}

// deleteAfterGet looks whether the key is its own, and then deletes it.
func deleteAfterGet(a *lab.App, s *scene) {
	h := setKey(a)
	v, _ := a.Read(h)
	a.Sleep(10 * time.Second)
	a.Write(h, v.Next())
	h.End()
	if value, _ := a.Call("redis", "GET lock", patience); value == h.Name {
		a.Call("redis", "DEL lock", time.Hour) // whose key is it now?
	}
}

// deleteIfEqual has the server compare and delete in one step.
func deleteIfEqual(a *lab.App, s *scene) {
	h := setKey(a)
	v, _ := a.Read(h)
	a.Sleep(10 * time.Second)
	a.Write(h, v.Next())
	h.End()
	a.Call("redis", "EVAL release lock "+h.Name, patience)
}

func releaseRace() Lesson {
	return Lesson{
		Name: "release-race", File: "release_race.go",
		Title: "a release that deletes the lock of the next holder",
		Says:  "between a check and the step that depends on it the answer may change. A release has to name the holder, and the server has to compare and delete in one step",
		harm:  []harm{lostUpdate},
		script: func(s *scene) {
			s.client("A", 0)
			s.client("B", time.Second)
			s.client("C", 2*time.Second)
			s.When("A", lab.Written, func() { // one question of A gets through
				s.At(s.Now()+700*time.Microsecond, func() { s.HoldBack("A", "redis", 35*time.Second) })
			})
		},
		programs: []program{
			{name: "deleteAfterGet", note: "GET, then DEL", wrong: true, build: redis, guard: lab.NoGuard, run: deleteAfterGet},
			{name: "deleteIfEqual", note: "one script", build: redis, guard: lab.NoGuard, run: deleteIfEqual},
		},
	}
}
