package model

import (
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// KVOp is an operation of the key/value model.
type KVOp uint8

const (
	// OpGet reads a key. Output: Found, Value.
	OpGet KVOp = iota + 1
	// OpPut sets a key. It always succeeds; no output.
	OpPut
	// OpDelete removes a key. Output: Found, whether the key existed.
	OpDelete
	// OpCAS sets a key if it holds Expect (or, with Absent, if it does not exist).
	// Output: OK; without OK, the present Found and Value, or Unseen.
	OpCAS
	// OpList reads all keys that start with a prefix. Output: Pairs in key order.
	OpList
	// OpAppend appends Value to the value of the key, which is empty if the key does not exist. It always succeeds; no
	// output.
	OpAppend
)

// KVInput is a call of the key/value model. The constructors below return valid ones.
type KVInput struct {
	Op     KVOp
	Absent bool   // OpCAS: expect that the key does not exist
	Key    string // OpList: the prefix
	Value  string // OpPut, OpCAS: the new value; OpAppend: the text to append
	Expect string // OpCAS without Absent: the value expected
}

// KVPair is a key with its value.
type KVPair struct{ Key, Value string }

// KVOutput is a result of the key/value model. Which fields count depends on the
// operation, see KVOp; the others are ignored.
type KVOutput struct {
	OK    bool
	Found bool
	Value string
	Pairs []KVPair
	// Unseen says that a compare-and-set failed, and that its output does not have the present value.
	Unseen bool
	// OrNone says that the empty Value of a get may also mean that the key does not exist.
	OrNone bool
}

// Get reads key.
func Get(key string) KVInput { return KVInput{Op: OpGet, Key: key} }

// Put sets key to value.
func Put(key, value string) KVInput { return KVInput{Op: OpPut, Key: key, Value: value} }

// Delete removes key.
func Delete(key string) KVInput { return KVInput{Op: OpDelete, Key: key} }

// Append appends value to the value of key.
func Append(key, value string) KVInput { return KVInput{Op: OpAppend, Key: key, Value: value} }

// CompareAndSet sets key to value if it holds expect.
func CompareAndSet(key, expect, value string) KVInput {
	return KVInput{Op: OpCAS, Key: key, Expect: expect, Value: value}
}

// PutIfAbsent sets key to value if there is no such key.
func PutIfAbsent(key, value string) KVInput {
	return KVInput{Op: OpCAS, Key: key, Absent: true, Value: value}
}

// List reads the keys that start with prefix. The prefix must lie within one
// group: it contains a slash.
func List(prefix string) KVInput { return KVInput{Op: OpList, Key: prefix} }

// KVGroup returns the partition of a key or prefix: the part before its first slash, or all of a key without a slash.
func KVGroup(key string) string {
	group, _, _ := strings.Cut(key, "/")
	return group
}

// KV is the model of a key/value store with get, put, append, delete,
// compare-and-set and list, empty at the start. Keys live in groups (see KVGroup); a list reads
// one group, so groups are checked separately, and so are keys if there are no lists.
func KV() *Model[KVState, KVInput, KVOutput] {
	return &Model[KVState, KVInput, KVOutput]{
		Name:           "kv",
		Init:           func() KVState { return KVState{} },
		Step:           kvStep,
		Effect:         kvEffect,
		Result:         kvResult,
		ReadOnly:       func(in KVInput) bool { return in.Op == OpGet || in.Op == OpList },
		Partition:      func(in KVInput) string { return KVGroup(in.Key) },
		Narrow:         func(in KVInput, _ KVOutput) (string, bool) { return in.Key, in.Op != OpList },
		Settle:         kvSettle,
		Refute:         kvRefute,
		Equal:          KVState.equal,
		Hash:           KVState.hash,
		Size:           KVState.size,
		Validate:       kvValidate,
		Replayer:       func() Replayer[KVInput, KVOutput] { return newKVReplayer() },
		DescribeInput:  describeKVInput,
		DescribeOutput: describeKVOutput,
		DescribeState:  KVState.String,
		Codec:          kvCodec(),
	}
}

func kvValidate(in KVInput) error {
	switch {
	case in.Op < OpGet || in.Op > OpAppend:
		return strictjson.Errorf("op", "no such operation %d", in.Op)
	case in.Op == OpList && !strings.Contains(in.Key, "/"):
		return strictjson.Errorf("prefix", "%q does not lie within one group (it has no slash)", in.Key)
	}
	return nil
}

// kvStep defines when each operation can give its output.
func kvStep(s KVState, in KVInput, out KVOutput) (bool, KVState) {
	value, found := s.get(in.Key)
	switch in.Op {
	case OpGet:
		return out.hasValue(value, found), s
	case OpPut:
		return true, s.put(in.Key, in.Value)
	case OpAppend:
		return true, s.put(in.Key, value+in.Value)
	case OpDelete:
		return found == out.Found, s.remove(in.Key)
	case OpCAS:
		if in.isExpected(value, found) {
			return out.OK, s.put(in.Key, in.Value)
		}
		return !out.OK && out.hasValue(value, found), s
	case OpList:
		return samePairs(s.list(in.Key), out.Pairs), s
	}
	return false, s
}

func kvEffect(s KVState, in KVInput) (bool, KVState) {
	switch in.Op {
	case OpPut:
		return true, s.put(in.Key, in.Value)
	case OpAppend:
		value, _ := s.get(in.Key)
		return true, s.put(in.Key, value+in.Value)
	case OpDelete:
		return true, s.remove(in.Key)
	case OpCAS:
		if value, found := s.get(in.Key); in.isExpected(value, found) {
			return true, s.put(in.Key, in.Value)
		}
	}
	return true, s
}

func kvResult(s KVState, in KVInput) KVOutput {
	value, found := s.get(in.Key)
	switch in.Op {
	case OpGet:
		return KVOutput{Found: found, Value: value}
	case OpDelete:
		return KVOutput{Found: found}
	case OpCAS:
		if in.isExpected(value, found) {
			return KVOutput{OK: true}
		}
		return KVOutput{Found: found, Value: value}
	case OpList:
		return KVOutput{Pairs: s.list(in.Key)}
	}
	return KVOutput{}
}

// hasValue reports whether the output contains this value.
func (out *KVOutput) hasValue(value string, found bool) bool {
	switch {
	case out.Unseen, out.OrNone && value == "":
		return true
	}
	return found == out.Found && (!found || value == out.Value)
}

// isExpected reports whether a compare-and-set succeeds on this value.
func (in *KVInput) isExpected(value string, found bool) bool {
	return found != in.Absent && (in.Absent || value == in.Expect)
}

func samePairs(a, b []KVPair) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func describeKVInput(in KVInput) string {
	switch in.Op {
	case OpGet:
		return "get " + in.Key
	case OpPut:
		return fmt.Sprintf("put %s = %s", in.Key, shown(in.Value))
	case OpAppend:
		return fmt.Sprintf("append to %s %s", in.Key, shown(in.Value))
	case OpDelete:
		return "delete " + in.Key
	case OpCAS:
		return fmt.Sprintf("cas %s from %s to %s", in.Key, describeValue(in.Expect, !in.Absent), shown(in.Value))
	case OpList:
		return "list " + in.Key
	}
	return fmt.Sprintf("operation %d", in.Op)
}

func describeKVOutput(in KVInput, out KVOutput) string {
	switch in.Op {
	case OpGet:
		if out.OrNone {
			return `"" or no value`
		}
		return describeValue(out.Value, out.Found)
	case OpDelete:
		if out.Found {
			return "found"
		}
		return "not found"
	case OpCAS:
		if out.OK {
			return "ok"
		}
		if out.Unseen {
			return "conflict"
		}
		return "conflict with " + describeValue(out.Value, out.Found)
	case OpList:
		return describePairs(out.Pairs)
	}
	return "ok"
}

func describeValue(value string, found bool) string {
	if !found {
		return "no value"
	}
	return shown(value)
}

func describePairs(pairs []KVPair) string {
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		parts[i] = p.Key + "=" + shown(p.Value)
	}
	return "{" + strings.Join(parts, " ") + "}"
}
