//go:build course

package lease

import (
	"encoding/json"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Every clock errs by up to a tenth, forwards or backwards. A lease is asked for for a second.
const (
	ppm  = 100_000
	term = time.Second
)

// word is a request for a lease, or what grants it. N numbers the requests of one replica.
type word struct {
	Kind string // ask, grant
	N    int
}

// replica wants the lease, and grants it to others. A replica with grants of a majority
// may act as the leader, for as long as none of those may grant it to another one.
type replica struct {
	end     func(asked, now time.Time) time.Time // of the lease
	env     *sim.Env
	to      sim.Addr  // that was granted the lease; 0: none was
	granted time.Time // until when it is not granted to another one, by our clock

	n      int       // our latest request
	asked  time.Time // when it was made
	grants map[sim.Addr]bool
	until  time.Time // we lead until then, by our clock
}

func (r *replica) Start(env *sim.Env) {
	r.env = env
	r.granted = env.Now().Add(2 * term) // what was granted before is forgotten
	env.WakeAt(env.Now().Add(time.Duration(env.Self()) * 100 * time.Millisecond))
}

// Wake asks for the lease, or for more of it.
func (r *replica) Wake(now time.Time) {
	r.n, r.asked, r.grants = r.n+1, now, map[sim.Addr]bool{}
	for a := sim.Addr(1); a <= replicas; a++ {
		r.say(a, word{"ask", r.n})
	}
	again := 300 * time.Millisecond
	if !r.leads(now) { // long enough for what others hold to end
		again = r.env.Draw("wait").Duration(900*time.Millisecond, 2*time.Second)
	}
	r.env.WakeAt(now.Add(again))
}

func (r *replica) Receive(now time.Time, from sim.Addr, msg []byte) {
	var w word
	_ = json.Unmarshal(msg, &w)
	switch {
	case w.Kind == "ask" && (r.to == from || now.After(r.granted)):
		r.to, r.granted = from, now.Add(term)
		r.say(from, word{"grant", w.N})
	case w.Kind == "grant" && w.N == r.n:
		if r.grants[from] = true; len(r.grants) > replicas/2 {
			r.until = r.end(r.asked, now)
		}
	}
}

// leads says whether we act as the leader.
func (r *replica) leads(now time.Time) bool { return now.Before(r.until) }

func (r *replica) say(to sim.Addr, w word) {
	b, _ := json.Marshal(w)
	r.env.Send(to, b)
}
