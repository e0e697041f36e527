package lessons

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// payThenRecord pays under the lock, and then records that the order is paid.
func payThenRecord(a *lab.App, s *scene) {
	s.counts["ordered order-1"]++
	h := a.Lock()
	v, err := a.Read(h)
	if err == nil && v.Count == 0 && h.Valid() {
		ask(a, bank, "pay order-1") // there is no way back
		a.Write(h, v.Next())        // and here it is refused
	}
	h.Release()
}

// recordThenPay makes the order its own at the resource, which refuses all but one, and then pays.
func recordThenPay(a *lab.App, s *scene) {
	s.counts["ordered order-1"]++
	h := a.Lock()
	v, err := a.Read(h)
	if err == nil && v.Count == 0 && h.Valid() && a.Write(h, v.Next()) == nil {
		ask(a, bank, "pay order-1 key-of-order-1") // again until it is answered, which is why it has a key
	}
	h.Release()
}

func pointOfNoReturn() Lesson {
	return Lesson{
		Name: "point-of-no-return", File: "point_of_no_return.go",
		Title: "a step that cannot be taken back comes before the one that can be refused",
		Says:  "a fence refuses a late write, but undoes nothing that was done elsewhere. Do first what the resource can refuse. Do last what cannot be undone, after the resource has accepted the first step, and with a key, so that it can be repeated",
		harm:  []harm{paidTwice, unpaid},
		script: func(s *scene) {
			s.bank()
			s.client("A", 0)
			s.client("B", time.Second)
			s.When("A", lab.Checked, func() { s.Pause("A", 45*time.Second) })
		},
		programs: []program{
			{name: "payThenRecord", note: "Redis with a fence", wrong: true, build: redis, guard: lab.ReadFence, run: payThenRecord},
			{name: "recordThenPay", note: "Redis with the same fence", build: redis, guard: lab.ReadFence, run: recordThenPay},
		},
	}
}
