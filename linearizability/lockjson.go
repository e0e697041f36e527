package linearizability

import "errors"

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
	m := object{{"op", name}, {"path", text(in.Path)}}.number("instance", in.Instance)
	if in.Op.ofHandle() {
		m = append(m, member{"handle", text(in.Handle)})
	}
	claims := in.Op == LockAcquire || in.Op == LockTry
	if claims || in.Op == LockCheckSequencer {
		m = append(m, member{"mode", lockMode(in.Shared)})
	}
	if claims {
		m = m.number("delay_ns", uint64(in.Delay))
	}
	switch in.Op {
	case LockRelease:
		m = m.number("acquisition", in.Acquisition)
	case LockCheckSequencer:
		m = m.number("gen", in.Gen)
	case LockFail, LockDelayOver:
		m = append(m, member{"began", in.Began})
	}
	return m.encode()
}

func encodeLockOutput(in LockInput, out LockOutput) ([]byte, error) {
	if out.Code != LockOK {
		return object{{"code", lockCodes.of(out.Code)}}.encode()
	}
	m := object{}
	switch in.Op {
	case LockAcquire, LockTry:
		m = m.number("gen", out.Gen).number("acquisition", out.Acquisition)
	case LockGetSequencer:
		m = append(m, member{"mode", lockMode(out.Shared)}).number("gen", out.Gen)
	case LockFail:
		if out.Delay >= 0 {
			m = append(m, member{"delay_ns", out.Delay})
		}
	}
	return m.encode()
}

// lockInputFields are all fields an input may have.
type lockInputFields struct {
	Op          string   `json:"op"`
	Path        optional `json:"path"`
	Instance    uint64   `json:"instance"`
	Handle      optional `json:"handle"`
	Mode        *string  `json:"mode"`
	Delay       *int64   `json:"delay_ns"`
	Acquisition *uint64  `json:"acquisition"`
	Gen         *uint64  `json:"gen"`
	Began       *uint64  `json:"began"`
}

func decodeLockInput(data []byte) (in LockInput, err error) {
	var f lockInputFields
	if err := strictJSON(data, &f); err != nil {
		return in, err
	}
	if err := firstBroken(broken{"path", &f.Path}, broken{"handle", &f.Handle}); err != nil {
		return in, err
	}
	var ok bool
	if in.Op, ok = lockOps.value(f.Op); !ok {
		return in, field("op", "there is no operation %q", f.Op)
	}
	claims := in.Op == LockAcquire || in.Op == LockTry
	err = checkFields(f.Op,
		use{"path", f.Path.text != nil, must},
		use{"handle", f.Handle.text != nil, only(in.Op.ofHandle())},
		use{"mode", f.Mode != nil, only(claims || in.Op == LockCheckSequencer)},
		use{"delay_ns", f.Delay != nil, perhaps(claims)},
		use{"acquisition", f.Acquisition != nil, perhaps(in.Op == LockRelease)},
		use{"gen", f.Gen != nil, only(in.Op == LockCheckSequencer)},
		use{"began", f.Began != nil, only(in.Op == LockFail || in.Op == LockDelayOver)},
	)
	if err != nil {
		return in, err
	}
	in.Path, _ = f.Path.value()
	in.Handle, _ = f.Handle.value()
	in.Instance, in.Delay, in.Acquisition = f.Instance, orZero(f.Delay), orZero(f.Acquisition)
	in.Gen, in.Began = orZero(f.Gen), orZero(f.Began)
	in.Shared, err = sharedOf(f.Mode)
	return in, err
}

// sharedOf reads a mode, if there is one.
func sharedOf(word *string) (bool, error) {
	if word != nil && *word != lockMode(true) && *word != lockMode(false) {
		return false, field("mode", "%q is not exclusive or shared", *word)
	}
	return word != nil && *word == lockMode(true), nil
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
	if err := objectOrNothing(data, &f); err != nil {
		return out, err
	}
	if f.Code != nil {
		var ok bool
		if out.Code, ok = lockCodes.value(*f.Code); !ok {
			return out, field("code", "there is no code %q", *f.Code)
		}
	}
	granted := out.Code == LockOK && (in.Op == LockAcquire || in.Op == LockTry)
	read := out.Code == LockOK && in.Op == LockGetSequencer
	failed := out.Code == LockOK && in.Op == LockFail
	err = checkFields("this operation's output",
		use{"mode", f.Mode != nil, only(read)},
		use{"gen", f.Gen != nil, perhaps(granted || read)},
		use{"acquisition", f.Acquisition != nil, perhaps(granted)},
		use{"delay_ns", f.Delay != nil, perhaps(failed)},
	)
	if err != nil {
		return out, err
	}
	out.Gen, out.Acquisition, out.Delay = orZero(f.Gen), orZero(f.Acquisition), orZero(f.Delay)
	if out.Delay < 0 {
		return out, field("delay_ns", "%d is negative", out.Delay)
	}
	if failed && f.Delay == nil {
		out.Delay = -1
	}
	out.Shared, err = sharedOf(f.Mode)
	return out, err
}
