package resource

import (
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/plan"
)

// Resource is the state of a storage server outside of the cell. It holds one value, a counter,
// which the holder of a lock reads and writes back, one higher. It logs its decisions in order. Its
// disk never fails: it loses updates only because its checks are too weak.
type Resource struct {
	Mode    plan.FenceMode // how it checks
	Highest uint64         // the highest token of the requests that the mode remembers
	version uint64         // of the value; 0: never written
	value   uint64
	written map[uint64]Tell          // the answer to each write, by the version that it makes
	Log     []linearizability.Access // every decision, in order
	Refused int                      // requests that it refused
}

// New returns a resource that checks requests as m says, and has had none yet.
func New(m plan.FenceMode) *Resource {
	return &Resource{Mode: m, written: map[uint64]Tell{}}
}

// Token returns the fencing token of the request: the lock generation, which is higher for each
// later holder. It panics if the sequencer is malformed.
func (q *Ask) Token() uint64 { return uint64(q.sequencer().Gen) }

func (q *Ask) sequencer() api.Sequencer {
	s, err := api.ParseSequencerText(q.Sequencer)
	if err != nil {
		panic("a program without a sequencer: " + err.Error())
	}
	return s
}

// Decide decides a request of a client at an instant of true time, in nanoseconds. A write that
// comes again gets the same answer again.
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

// accepts is the check. The modes differ only in it, and in which requests remember takes.
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
	return true // for FenceAsk, the cell has already confirmed the sequencer
}

// remember notes the token of an accepted request, and applies a write.
func (r *Resource) remember(q *Ask) {
	if q.Write || r.Mode == plan.FenceReads {
		r.Highest = max(r.Highest, q.Token())
	}
	if q.Write {
		r.version, r.value = q.Version, q.Value
	}
}

// Count returns the outcome, which needs no checker: each accepted write was one more than the
// value that it was based on, so the value is the number of writes that were not lost.
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

// Count is the outcome of the increments of one seed.
type Count struct {
	Mode    plan.FenceMode `json:"-"`
	Done    int            `json:"done"`    // writes that the resource accepted
	Lost    int            `json:"lost"`    // accepted writes that its value does not contain at the end
	Refused int            `json:"refused"` // requests that it refused, including reads
}
