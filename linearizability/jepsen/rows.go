package jepsen

import (
	"github.com/chubbycell/chubby/linearizability/edn"
	"github.com/chubbycell/chubby/linearizability/history"
	"github.com/chubbycell/chubby/linearizability/model"
)

// Rows configures the translation to models kv, register and cas.
type Rows struct {
	// Append is for model kv: there are appends, every operation must have a key, and the result "" of a get may mean
	// that there is no value.
	Append bool
	// FailedCAS is for model cas: a cas that failed without an error found another value. Otherwise a failed cas only
	// had no effect, for any reason.
	FailedCAS bool
}

// Operation translates a call to model kv, register or cas.
func (r Rows) Operation(c *Call) (in model.KVInput, out model.KVOutput, outcome history.Outcome, err error) {
	outcome = c.Outcome
	if r.Append && !c.Keyed {
		return in, out, outcome, fault(c.Line, ":key", "missing, and no value is a pair of key and value: model kv has keys")
	}
	if in, err = r.input(c); err != nil {
		return in, out, outcome, err
	}
	switch {
	case in.Op == model.OpGet && outcome == history.OutcomeOK && c.Answer.Kind != edn.Nil:
		out.Value, err = text(&c.Answer, c.EndLine)
		out.Found = true
		out.OrNone = r.Append && out.Value == ""
	case in.Op == model.OpCAS && outcome == history.OutcomeOK:
		out.OK = true
	case in.Op == model.OpCAS && outcome == history.OutcomeFailed && r.FailedCAS && !c.Error && c.Answer.Equal(&c.Ask):
		outcome, out.Unseen = history.OutcomeOK, true
	}
	return in, out, outcome, err
}

func (r Rows) input(c *Call) (in model.KVInput, err error) {
	in.Key = c.Name
	switch {
	case c.F == "read" || c.F == "get":
		in.Op = model.OpGet
		return in, nil
	case c.F == "write" || c.F == "put":
		in.Op = model.OpPut
	case c.F == "append" && r.Append:
		if in.Op = model.OpAppend; c.Ask.Kind != edn.Nil && !isString(&c.Ask) {
			return in, fault(c.Line, ":value", "%s is no string: an append makes the string of a key longer", clip(c.Ask.String()))
		}
	case c.F == "cas":
		return r.cas(c, in)
	case r.Append:
		return in, unknown(c, ":get, :put, :append, :cas, :read and :write")
	default:
		return in, unknown(c, ":read, :write and :cas")
	}
	in.Value, err = text(&c.Ask, c.Line)
	return in, err
}

func (r Rows) cas(c *Call, in model.KVInput) (_ model.KVInput, err error) {
	in.Op = model.OpCAS
	if !isPair(&c.Ask) {
		return in, fault(c.Line, ":value", "%s is no [old new]", clip(c.Ask.String()))
	}
	if c.Ask.Items[0].Kind == edn.Nil {
		in.Absent = true
	} else if in.Expect, err = text(&c.Ask.Items[0], c.Line); err != nil {
		return in, err
	}
	in.Value, err = text(&c.Ask.Items[1], c.Line)
	return in, err
}

func unknown(c *Call, known string) error {
	return fault(c.Line, ":f", ":%s is no operation of this model, which has %s", c.F, known)
}

// text returns a value as the models have it: the contents of a string, or else a model.Form, which differs from all
// strings, so that 1 and "1" are two values. Forms that are equal by Clojure's = are one value.
func text(v *edn.Value, line int) (string, error) {
	switch {
	case v.Kind == edn.Nil:
		return "", fault(line, ":value", "nil where a value belongs: it stands for none; write a keyword such as :none instead")
	case isString(v):
		return v.Text, nil
	}
	return model.Form(v.Canonical()), nil
}
