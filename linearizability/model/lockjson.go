package model

import (
	"errors"

	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// lockCodec is the codec of the lock model.
func lockCodec() Codec[LockInput, LockOutput] {
	return Codec[LockInput, LockOutput]{
		EncodeInput: encodeLockInput, EncodeOutput: encodeLockOutput,
		DecodeInput: decodeLockInput, DecodeOutput: decodeLockOutput,
	}
}

func encodeLockInput(in LockInput) ([]byte, error) {
	name, ok := lockOps.word(in.Op)
	if !ok {
		return nil, errors.New("op: no such operation")
	}
	m := strictjson.Object{}.With("op", name).With("path", strictjson.Text(in.Path)).Number("instance", in.Instance)
	if in.Op.ofHandle() {
		m = m.With("handle", strictjson.Text(in.Handle))
	}
	claims := in.Op == LockAcquire || in.Op == LockTry
	if claims || in.Op == LockCheckSequencer {
		m = m.With("mode", LockMode(in.Shared))
	}
	if claims {
		m = m.Number("delay_ns", uint64(in.Delay))
	}
	switch in.Op {
	case LockRelease:
		m = m.Number("acquisition", in.Acquisition)
	case LockCheckSequencer:
		m = m.Number("gen", in.Gen)
	case LockFail, LockDelayOver:
		m = m.With("began", in.Began)
	}
	return m.Encode()
}

func encodeLockOutput(in LockInput, out LockOutput) ([]byte, error) {
	if out.Code != LockOK {
		return strictjson.Object{}.With("code", lockCodes.Of(out.Code)).Encode()
	}
	m := strictjson.Object{}
	switch in.Op {
	case LockAcquire, LockTry:
		m = m.Number("gen", out.Gen).Number("acquisition", out.Acquisition)
	case LockGetSequencer:
		m = m.With("mode", LockMode(out.Shared)).Number("gen", out.Gen)
	case LockFail:
		if out.Delay >= 0 {
			m = m.With("delay_ns", out.Delay)
		}
	}
	return m.Encode()
}

// lockInputFields are all fields an input may have.
type lockInputFields struct {
	Op          string              `json:"op"`
	Path        strictjson.Optional `json:"path"`
	Instance    uint64              `json:"instance"`
	Handle      strictjson.Optional `json:"handle"`
	Mode        *string             `json:"mode"`
	Delay       *int64              `json:"delay_ns"`
	Acquisition *uint64             `json:"acquisition"`
	Gen         *uint64             `json:"gen"`
	Began       *uint64             `json:"began"`
}

func decodeLockInput(data []byte) (in LockInput, err error) {
	var f lockInputFields
	if err := strictjson.Decode(data, &f); err != nil {
		return in, err
	}
	if err := strictjson.FirstError(f.Path.Broken("path"), f.Handle.Broken("handle")); err != nil {
		return in, err
	}
	var ok bool
	if in.Op, ok = lockOps.value(f.Op); !ok {
		return in, lockOps.unknown(f.Op)
	}
	claims := in.Op == LockAcquire || in.Op == LockTry
	err = strictjson.CheckFields(f.Op,
		strictjson.Needs("path", f.Path.Text != nil, strictjson.Must),
		strictjson.Needs("handle", f.Handle.Text != nil, strictjson.Only(in.Op.ofHandle())),
		strictjson.Needs("mode", f.Mode != nil, strictjson.Only(claims || in.Op == LockCheckSequencer)),
		strictjson.Needs("delay_ns", f.Delay != nil, strictjson.Perhaps(claims)),
		strictjson.Needs("acquisition", f.Acquisition != nil, strictjson.Perhaps(in.Op == LockRelease)),
		strictjson.Needs("gen", f.Gen != nil, strictjson.Only(in.Op == LockCheckSequencer)),
		strictjson.Needs("began", f.Began != nil, strictjson.Only(in.Op == LockFail || in.Op == LockDelayOver)),
	)
	if err != nil {
		return in, err
	}
	in.Path, _ = f.Path.Value()
	in.Handle, _ = f.Handle.Value()
	in.Instance, in.Delay, in.Acquisition = f.Instance, strictjson.OrZero(f.Delay), strictjson.OrZero(f.Acquisition)
	in.Gen, in.Began = strictjson.OrZero(f.Gen), strictjson.OrZero(f.Began)
	in.Shared, err = sharedOf(f.Mode)
	return in, err
}

// sharedOf reads a mode, if there is one.
func sharedOf(word *string) (bool, error) {
	if word != nil && *word != LockMode(true) && *word != LockMode(false) {
		return false, strictjson.Errorf("mode", "%q is not exclusive or shared", *word)
	}
	return word != nil && *word == LockMode(true), nil
}

// lockOutputFields are all fields an output may have.
type lockOutputFields struct {
	Code        *string `json:"code"`
	Mode        *string `json:"mode"`
	Gen         *uint64 `json:"gen"`
	Acquisition *uint64 `json:"acquisition"`
	Delay       *int64  `json:"delay_ns"`
}

func decodeLockOutput(in LockInput, data []byte) (out LockOutput, err error) {
	var f lockOutputFields
	if err := strictjson.DecodeOptional(data, &f); err != nil {
		return out, err
	}
	if f.Code != nil {
		var ok bool
		if out.Code, ok = lockCodes.value(*f.Code); !ok {
			return out, strictjson.Errorf("code", "there is no code %q", *f.Code)
		}
	}
	granted := out.Code == LockOK && (in.Op == LockAcquire || in.Op == LockTry)
	read := out.Code == LockOK && in.Op == LockGetSequencer
	failed := out.Code == LockOK && in.Op == LockFail
	err = strictjson.CheckFields("this operation's output",
		strictjson.Needs("mode", f.Mode != nil, strictjson.Only(read)),
		strictjson.Needs("gen", f.Gen != nil, strictjson.Perhaps(granted || read)),
		strictjson.Needs("acquisition", f.Acquisition != nil, strictjson.Perhaps(granted)),
		strictjson.Needs("delay_ns", f.Delay != nil, strictjson.Perhaps(failed)),
	)
	if err != nil {
		return out, err
	}
	out.Gen, out.Acquisition, out.Delay = strictjson.OrZero(f.Gen), strictjson.OrZero(f.Acquisition), strictjson.OrZero(f.Delay)
	if out.Delay < 0 {
		return out, strictjson.Errorf("delay_ns", "%d is negative", out.Delay)
	}
	if failed && f.Delay == nil {
		out.Delay = -1
	}
	out.Shared, err = sharedOf(f.Mode)
	return out, err
}
