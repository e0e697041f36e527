package lock

import (
	"iter"
	"math"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Reader reads rows: a *db.Txn, a *db.DB or a db.View.
type Reader interface {
	Get(key string) (value string, ok bool)
	Ascend(from, to string) iter.Seq2[string, string]
	Scan(prefix string) iter.Seq2[string, string]
}

// version is the first byte of the value of each row.
const version = 1

func write(fields ...uint64) string {
	var room [1 + 4*8]byte
	b := append(room[:0], version)
	for _, f := range fields {
		b = appendUint(b, f)
	}
	return string(b)
}

// open begins to read a value. Call finish at the end.
func open(value string) reader {
	c := reader{s: value}
	if c.byte() != version {
		c.bad = true
	}
	return c
}

func (c *reader) finish(key, value string) {
	if !c.isDone() {
		invariant.Failf("I-K1", "row %q holds %d bytes %.40q", key, len(value), value)
	}
}

func readState(key, value string) State {
	c := open(value)
	s := State{Gen: api.LockGen(c.uint()), Mode: c.mode(), Holders: c.uint(), Delays: c.uint()}
	c.finish(key, value)
	return s
}

func putState(tx *db.Txn, n api.Ref, s State) {
	tx.Put(lockKey(n), write(uint64(s.Gen), uint64(s.Mode), s.Holders, s.Delays))
}

func readHold(key, value string) Hold {
	c := open(value)
	h := Hold{Mode: c.mode(), Acquisition: api.Acquisition(c.uint()), Delay: c.delay()}
	c.finish(key, value)
	return h
}

func putHold(tx *db.Txn, n api.Ref, o Owner, h Hold) {
	_, held := tx.Put(holdKey(n, o), write(uint64(h.Mode), uint64(h.Acquisition), uint64(h.Delay)))
	_, other := tx.Put(indexKey(o), string(appendUint([]byte{version}, uint64(n.Instance)))+n.Path.String())
	if held || other {
		invariant.Failf("I-K4", "%v is granted %v over what it held", o, n)
	}
}

func dropHold(tx *db.Txn, n api.Ref, o Owner) {
	_, held := tx.Delete(holdKey(n, o))
	_, indexed := tx.Delete(indexKey(o))
	if !held || !indexed {
		invariant.Failf("I-K4", "%v leaves %v; a hold: %t, in the index: %t", o, n, held, indexed)
	}
}

func readIndex(key, value string) api.Ref {
	c := open(value)
	instance := api.Instance(c.uint())
	n := c.ref(instance, len(c.s))
	c.finish(key, value)
	return n
}

func readDelay(key, value string) api.LockDelay {
	c := open(value)
	d := c.delay()
	c.finish(key, value)
	return d
}

// mode reads a mode, or 0 for free.
func (c *reader) mode() api.Mode {
	x := c.uint()
	if x > uint64(api.Shared) {
		c.bad = true
	}
	return api.Mode(x)
}

// delay reads a delay. Its bound is I-K5 and is not tested here.
func (c *reader) delay() api.LockDelay {
	x := c.uint()
	if x > math.MaxUint32 {
		c.bad = true
	}
	return api.LockDelay(x)
}
