package lessons

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// sendNoToken reads and writes without a word of its lock.
func sendNoToken(a *lab.App, s *scene) {
	h := a.Lock()
	v, _ := a.Read(nil)
	a.Sleep(10 * time.Second)
	if h.Valid() { // a pause may follow
		a.Write(nil, v.Next())
	}
	h.Release()
}

// sendTokenWithWrite sends its token with the write alone.
func sendTokenWithWrite(a *lab.App, s *scene) {
	h := a.Lock()
	v, _ := a.Read(nil)
	a.Sleep(10 * time.Second)
	if h.Valid() {
		a.Write(h, v.Next())
	}
	h.Release()
}

// sendTokenAlways sends its token with every request, and minds a refusal.
func sendTokenAlways(a *lab.App, s *scene) {
	for {
		h := a.Lock()
		v, err := a.Read(h)
		a.Sleep(10 * time.Second)
		if err == nil && h.Valid() {
			err = a.Write(h, v.Next())
		}
		h.Release()
		if err == nil {
			return
		}
		a.Note("begins anew: %v", err)
	}
}

func missingFence() Lesson {
	return Lesson{
		Name: "missing-fence", File: "missing_fence.go",
		Title: "a resource that does not know who holds the lock",
		Says:  "a pause may follow any check of the lock that a client makes before its write. The resource has to refuse a late holder, from the new holder's first read on: a token on writes alone lets the late write come between the new holder's read and its write",
		harm:  []harm{lostUpdate},
		script: func(s *scene) {
			s.client("A", 0)
			s.client("B", 5*time.Second)
			s.When("A", lab.Checked, func() { s.pauseUntilRead("A", "B") })
		},
		programs: []program{
			{name: "sendNoToken", note: "our cell", wrong: true, build: cell, guard: lab.NoGuard, run: sendNoToken},
			{name: "sendTokenWithWrite", note: "our cell", wrong: true, build: cell, guard: lab.WriteFence, run: sendTokenWithWrite},
			{name: "sendTokenAlways", note: "our cell", build: cell, guard: lab.ReadFence, run: sendTokenAlways},
		},
	}
}
