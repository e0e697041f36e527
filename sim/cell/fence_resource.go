package cell

import (
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/plan"
)

// resource is what a storage server outside of the cell decides: one value, a
// counter, which the holder of a lock is to read and to write back, one higher. It
// keeps what it has decided, in order. Its disk never fails: what it loses, it
// loses by what it checks.
type resource struct {
	mode    plan.FenceMode
	highest uint64 // token; of those that the mode remembers
	version uint64 // of the value; 0: never written
	value   uint64
	written map[uint64]fenceTell // by the version that a write makes: what it was answered
	log     []linearizability.Access
	refused int
}

func newResource(m plan.FenceMode) *resource {
	return &resource{mode: m, written: map[uint64]fenceTell{}}
}

// token is the number by which one holder is told from the next.
func (q *fenceAsk) token() uint64 { return uint64(q.sequencer().Gen) }

func (q *fenceAsk) sequencer() api.Sequencer {
	s, err := api.ParseSequencer(q.Sequencer)
	if err != nil {
		panic("a program without a sequencer: " + err.Error())
	}
	return s
}

// decide decides a request at an instant of true time. A write that comes again is
// given its answer again.
func (r *resource) decide(at, client int64, q *fenceAsk) fenceTell {
	if t, again := r.written[q.Version]; q.Write && again {
		t.ID = q.ID
		return t
	}
	a := linearizability.Access{At: at, Client: client, Write: q.Write, Token: q.token(), Accepted: r.accepts(q)}
	if q.Write {
		a.Base, a.Version = q.Base, q.Version
	}
	r.log = append(r.log, a)
	if !a.Accepted {
		r.refused++
	} else {
		r.remember(q)
	}
	t := fenceTell{ID: q.ID, Accepted: a.Accepted, Version: r.version, Value: r.value}
	if q.Write {
		r.written[q.Version] = t
	}
	return t
}

// accepts is the check, which is all that the modes differ by.
func (r *resource) accepts(q *fenceAsk) bool {
	low := q.token() < r.highest
	switch r.mode {
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
func (r *resource) remember(q *fenceAsk) {
	if q.Write || r.mode == plan.FenceReads {
		r.highest = max(r.highest, q.token())
	}
	if q.Write {
		r.version, r.value = q.Version, q.Value
	}
}

// count is the truth, which needs no checker: each accepted write was one more
// than what it was made from, so the value says how many of them are in it.
func (r *resource) count() FenceCount {
	c := FenceCount{Mode: r.mode, Refused: r.refused}
	for _, a := range r.log {
		if a.Write && a.Accepted {
			c.Done++
		}
	}
	c.Lost = c.Done - int(r.value)
	return c
}
