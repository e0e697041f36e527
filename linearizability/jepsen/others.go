package jepsen

import (
	"fmt"
	"slices"

	"github.com/chubbycell/chubby/linearizability/edn"
	"github.com/chubbycell/chubby/linearizability/history"
	"github.com/chubbycell/chubby/linearizability/model"
)

// Set translates a call to model set.
func Set(c *Call) (in model.SetInput, out model.SetOutput, outcome history.Outcome, err error) {
	outcome = c.Outcome
	in.Key = c.Name
	switch c.F {
	case "add":
		in.Op = model.SetAdd
	case "remove":
		in.Op, out.Untold = model.SetRemove, true
	case "read":
		in.Op = model.SetRead
		if outcome == history.OutcomeOK {
			out.Values, err = values(c)
		}
		return in, out, outcome, err
	default:
		return in, out, outcome, unknown(c, ":add, :remove and :read")
	}
	in.Value, err = element(&c.Ask, c.Line)
	return in, out, outcome, err
}

// values returns the result of a read of a set, in order.
func values(c *Call) (all []string, err error) {
	switch c.Answer.Kind {
	case edn.Vector, edn.List, edn.Set:
	case edn.Nil:
		return nil, fault(c.EndLine, ":value", "nil where the elements of a set belong; write #{} if it was empty, "+
			"and :type :fail or :info if the read had no result")
	default:
		return nil, fault(c.EndLine, ":value", "%s is no set, vector or list", clip(c.Answer.String()))
	}
	all = make([]string, len(c.Answer.Items))
	for i := range c.Answer.Items {
		if all[i], err = element(&c.Answer.Items[i], c.EndLine); err != nil {
			return nil, err
		}
	}
	slices.Sort(all)
	return all, nil
}

// element returns an element of a set as the model has it. Unlike the value of a register, it may be nil.
func element(v *edn.Value, line int) (string, error) {
	if v.Kind == edn.Nil && v.Line > 0 { // a value that is missing has no line
		return model.Form(v.Canonical()), nil
	}
	return text(v, line)
}

// Queue translates a call to model queue.
func Queue(c *Call) (in model.QueueInput, out model.QueueOutput, outcome history.Outcome, err error) {
	outcome = c.Outcome
	in.Key = c.Name
	switch c.F {
	case "enqueue":
		in.Op = model.QueueEnqueue
		in.Value, err = text(&c.Ask, c.Line)
	case "dequeue":
		in.Op = model.QueueDequeue
		if outcome == history.OutcomeOK && c.Answer.Kind != edn.Nil {
			out.Found = true
			out.Value, err = text(&c.Answer, c.EndLine)
		}
	case "drain":
		err = fault(c.Line, ":f", ":drain is many dequeues at once; write each as a :dequeue")
	default:
		err = unknown(c, ":enqueue and :dequeue")
	}
	return in, out, outcome, err
}

// Mutex translates a call to model mutex.
func Mutex(c *Call) (in model.MutexInput, out model.MutexOutput, outcome history.Outcome, err error) {
	in.Key = c.Name
	acquire, err := acquires(c)
	if in.Op = model.MutexRelease; acquire {
		in.Op = model.MutexAcquire
	}
	return in, out, c.Outcome, err
}

// acquires reports whether a call acquires; otherwise it releases.
func acquires(c *Call) (bool, error) {
	switch c.F {
	case "acquire", "lock":
		return true, nil
	case "release", "unlock":
		return false, nil
	}
	return false, unknown(c, ":acquire and :release")
}

// Lock translates a call to model lock. The holder is the process: if it holds the lock it may acquire it again, and
// only it may release it.
func Lock(c *Call) (in model.LockInput, out model.LockOutput, outcome history.Outcome, err error) {
	in = model.LockInput{Path: "lock", Handle: fmt.Sprint("process ", c.Process)}
	if c.Keyed {
		in.Path = c.Name
	}
	acquire, err := acquires(c)
	if in.Op = model.LockRelease; acquire {
		in.Op = model.LockAcquire
	}
	return in, out, c.Outcome, err
}
