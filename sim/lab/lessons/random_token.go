package lessons

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// lockAs is the program of both: the value of the key says whose it is, and the release compares it.
func lockAs(a *lab.App, value string) {
	for {
		if answer, _ := a.Call("redis", "SET lock "+value+" NX PX 30000", patience); answer == "OK" {
			break
		}
		a.Sleep(a.Draw("retry").Duration(50*time.Millisecond, 150*time.Millisecond))
	}
	h := a.Take(lab.Grant{Name: value})
	v, _ := a.Read(h)
	a.Sleep(10 * time.Second)
	a.Write(h, v.Next())
	h.End()
	a.Call("redis", "EVAL release lock "+value, patience)
}

// nameOfHost marks the key with what all processes of a machine share.
func nameOfHost(a *lab.App, s *scene) { lockAs(a, "host-1") }

// randomValue marks the key with what no other grant has.
func randomValue(a *lab.App, s *scene) { lockAs(a, a.Random("value", 20)) }

func randomToken() Lesson {
	return Lesson{
		Name: "random-token", File: "random_token.go",
		Title: "a release that compares a value which other clients share",
		Says:  "compare-and-delete protects only if the value is unique: other threads, or the next process after a restart, have the same host name, process number or constant. Draw a new value for each grant. It has no order, so it is no fence",
		harm:  []harm{lostUpdate},
		script: func(s *scene) {
			s.client("A", 0)
			s.client("B", time.Second)
			s.client("C", 2*time.Second)
			s.When("A", lab.Written, func() { s.Pause("A", 35*time.Second) })
		},
		programs: []program{
			{name: "nameOfHost", note: "three processes of one host", wrong: true, build: redis, guard: lab.NoGuard, run: nameOfHost},
			{name: "randomValue", note: "20 random bytes", build: redis, guard: lab.NoGuard, run: randomValue},
		},
	}
}
