package nodeops

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/master/calls"
)

// auditBarrier returns the first fault that it finds in the changes that wait at the barrier or have
// passed it; nil: there is none.
func (o *Ops) auditBarrier() error {
	barred := 0
	for _, x := range o.barrier.sorted() {
		if err := o.auditChange(x); err != nil {
			return err
		}
		if x.waits && x.key.Session != 0 {
			barred++
		}
	}
	if barred != o.calls.Barred() {
		return fmt.Errorf("I-B8: %d calls are barred, %d wait at the barrier", o.calls.Barred(), barred)
	}
	return nil
}

func (o *Ops) auditChange(x *change) error {
	c := o.calls.Of(x.key.Session, x.key.Seq)
	isCall, isSwept := x.key.Session != 0, o.sweeps[x.key.swept] != nil
	switch {
	case isCall && (c == nil || x.waits != (c.State == calls.Barred) || !x.waits && c.State != calls.Proposed):
		return fmt.Errorf("I-B8: change %+v waits: %t, and its call is %+v", x.key, x.waits, c)
	case !isCall && (x.waits && isSwept || !x.waits && !isSwept && !o.doubted.in[x.key.swept]):
		return fmt.Errorf("I-B8: the sweep of %v waits: %t, and is proposed: %t", x.key.swept, x.waits, isSwept)
	case x.waits && o.barrier.isClear(x):
		return fmt.Errorf("I-B8: change %+v waits for no client", x.key)
	case !x.waits && !o.barrier.isClear(x):
		return fmt.Errorf("I-B7: change %+v is under way, and a client may have what it touches", x.key)
	}
	return o.auditDrops(x)
}

// auditDrops finds a session that a change waits for without having told it to drop the path.
func (o *Ops) auditDrops(x *change) error {
	for _, p := range x.paths {
		for _, s := range o.barrier.caches.Untold(x.key.Change, p) {
			return fmt.Errorf("I-B8: change %+v waits for session %d, which is not told to drop %v", x.key, s, p)
		}
		if o.barrier.caches.Holds(p) == 0 {
			return fmt.Errorf("I-B8: change %+v does not hold %v", x.key, p)
		}
	}
	return nil
}
