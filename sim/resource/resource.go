package resource

import (
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/plan"
)

// Resource is what a storage server outside of the cell decides: one value, a
// counter, which the holder of a lock is to read and to write back, one higher. It
// keeps what it has decided, in order. Its disk never fails: what it loses, it
// loses by what it checks.
type Resource struct {
	Mode    plan.FenceMode // how it checks
	Highest uint64         // token; of those that the mode remembers
	version uint64         // of the value; 0: never written
	value   uint64
	written map[uint64]Tell          // by the version that a write makes: what it was answered
	Log     []linearizability.Access // of all that it has decided
	Refused int                      // requests
}

// New is a resource that nothing has been asked of, which checks as m says.
func New(m plan.FenceMode) *Resource {
	return &Resource{Mode: m, written: map[uint64]Tell{}}
}

// Token is the number by which one holder is told from the next.
func (q *Ask) Token() uint64 { return uint64(q.sequencer().Gen) }

func (q *Ask) sequencer() api.Sequencer {
	s, err := api.ParseSequencerText(q.Sequencer)
	if err != nil {
		panic("a program without a sequencer: " + err.Error())
	}
	return s
}

// Decide decides a request at an instant of true time. A write that comes again is
// given its answer again.
func (r *Resource) Decide(at, client int64, q *Ask) Tell {
	if t, again := r.written[q.Version]; q.Write && again {
		t.ID = q.ID
		return t
	}
	a := linearizability.Access{At: at, Client: client, Write: q.Write, Token: q.Token(), Accepted: r.accepts(q)}
	if q.Write {
		a.Base, a.Version = q.Base, q.Version
	}
	r.Log = append(r.Log, a)
	if !a.Accepted {
		r.Refused++
	} else {
		r.remember(q)
	}
	t := Tell{ID: q.ID, Accepted: a.Accepted, Version: r.version, Value: r.value}
	if q.Write {
		r.written[q.Version] = t
	}
	return t
}

// accepts is the check, which is all that the modes differ by.
func (r *Resource) accepts(q *Ask) bool {
	low := q.Token() < r.Highest
	switch r.Mode {
	case plan.FenceReads:
		return !low
	case plan.FenceWrites:
		return !q.Write || !low
	case plan.FenceCompare:
		return !q.Write || !low && q.Base == r.version
	}
	return true // FenceAsk has asked
}

// remember takes in an accepted request.
func (r *Resource) remember(q *Ask) {
	if q.Write || r.Mode == plan.FenceReads {
		r.Highest = max(r.Highest, q.Token())
	}
	if q.Write {
		r.version, r.value = q.Version, q.Value
	}
}

// Count is the truth, which needs no checker: each accepted write was one more
// than what it was made from, so the value says how many of them are in it.
func (r *Resource) Count() Count {
	c := Count{Mode: r.Mode, Refused: r.Refused}
	for _, a := range r.Log {
		if a.Write && a.Accepted {
			c.Done++
		}
	}
	c.Lost = c.Done - int(r.value)
	return c
}

// Count is what became of the increments of one seed.
type Count struct {
	Mode    plan.FenceMode `json:"-"`
	Done    int            `json:"done"`    // that the resource accepted
	Lost    int            `json:"lost"`    // of them, those that its value does not hold at the end
	Refused int            `json:"refused"` // requests, reads too, that it refused
}
