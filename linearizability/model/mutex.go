package model

import (
	"errors"
	"strings"

	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// MutexOp is an operation of the model of mutexes.
type MutexOp uint8

const (
	// MutexAcquire takes effect while the mutex is free. No output.
	MutexAcquire MutexOp = iota + 1
	// MutexRelease takes effect while the mutex is held. No output.
	MutexRelease
)

var mutexOps = Words[MutexOp]{MutexAcquire: "acquire", MutexRelease: "release"}

// MutexInput is a call of the model of mutexes.
type MutexInput struct {
	Op  MutexOp
	Key string // which mutex
}

// MutexOutput is a result of the model of mutexes. It has no content: an operation with a result took effect.
type MutexOutput struct{}

// Mutex is the model of mutexes without an owner, free at the start, as in Knossos: there is a release between any two
// acquires, of one process or of two. So it refuses a second grant to the same process, which Lock allows, and allows a
// release by another process, which Lock refuses. An acquire that found the mutex held must be recorded with
// OutcomeFailed. A history may have several mutexes, distinguished by Key; each is checked by itself.
func Mutex() *Model[bool, MutexInput, MutexOutput] {
	step := func(held bool, in MutexInput) (bool, bool) {
		take := in.Op == MutexAcquire
		return held != take, take
	}
	return &Model[bool, MutexInput, MutexOutput]{
		Name:      "mutex",
		Init:      func() bool { return false },
		Step:      func(held bool, in MutexInput, _ MutexOutput) (bool, bool) { return step(held, in) },
		Effect:    step,
		Partition: func(in MutexInput) string { return in.Key },
		Equal:     func(a, b bool) bool { return a == b },
		Hash:      func(held bool) uint64 { return uint64(flag(held)) },
		Size:      func(bool) int { return 8 },
		Validate: func(in MutexInput) error {
			if in.Op != MutexAcquire && in.Op != MutexRelease {
				return strictjson.Errorf("op", "no such operation %d", in.Op)
			}
			return nil
		},
		DescribeInput:  func(in MutexInput) string { return strings.TrimSpace(mutexOps.Of(in.Op) + " " + in.Key) },
		DescribeOutput: func(MutexInput, MutexOutput) string { return "ok" },
		DescribeState: func(held bool) string {
			if held {
				return "held"
			}
			return "free"
		},
		Codec: Codec[MutexInput, MutexOutput]{
			EncodeInput: encodeMutexInput, DecodeInput: decodeMutexInput,
			EncodeOutput: func(MutexInput, MutexOutput) ([]byte, error) { return strictjson.Object{}.Encode() },
			DecodeOutput: func(_ MutexInput, data []byte) (out MutexOutput, err error) {
				return out, strictjson.DecodeOptional(data, &out)
			},
		},
	}
}

func encodeMutexInput(in MutexInput) ([]byte, error) {
	name, ok := mutexOps.word(in.Op)
	if !ok {
		return nil, errors.New("op: no such operation")
	}
	m := strictjson.Object{}.With("op", name)
	if in.Key != "" {
		m = m.With("key", strictjson.Text(in.Key))
	}
	return m.Encode()
}

func decodeMutexInput(data []byte) (in MutexInput, err error) {
	var f valueFields
	in.Key, _, err = f.read(data, func() (bool, error) {
		var ok bool
		if in.Op, ok = mutexOps.value(f.Op); !ok {
			return false, mutexOps.unknown(f.Op)
		}
		return false, nil
	})
	return in, err
}
