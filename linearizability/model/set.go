package model

import (
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/tidwall/btree"

	"github.com/chubbycell/chubby/linearizability/history"
	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// SetOp is an operation of the model of sets.
type SetOp uint8

const (
	// SetAdd adds Value. It always succeeds; no output.
	SetAdd SetOp = iota + 1
	// SetRemove removes Value. Output: Found, whether it was there.
	SetRemove
	// SetHas asks whether Value is in the set. Output: Found.
	SetHas
	// SetRead reads all values. Output: Values, in order.
	SetRead
)

var setOps = Words[SetOp]{SetAdd: "add", SetRemove: "remove", SetHas: "has", SetRead: "read"}

// SetInput is a call of the model of sets.
type SetInput struct {
	Op    SetOp
	Key   string // which set
	Value string
}

// SetOutput is a result of the model of sets. Which fields count depends on the operation.
type SetOutput struct {
	Found  bool
	Untold bool     // SetRemove: the output does not say whether Value was there
	Values []string // in order; a read that returns a value twice is illegal
}

// SetState is an immutable set. The zero SetState is empty.
type SetState struct{ set *setRows }

// setRows is the content of a set. The tree shares nodes with the set that it was made from.
type setRows struct {
	sum  uint64 // sum of the hashes of the values
	rows *btree.Map[string, struct{}]
}

// Set is the model of sets of values, empty at the start, with add, remove, has and read. A history may have several
// sets, distinguished by Key; each is checked by itself. If a set has no SetRead, each of its values is checked by
// itself.
func Set() *Model[SetState, SetInput, SetOutput] {
	m := Deterministic(func() SetState { return SetState{} }, SetState.apply, sameSetOutput)
	m.Name = "set"
	m.ReadOnly = func(in SetInput) bool { return in.Op == SetHas || in.Op == SetRead }
	m.Partition = func(in SetInput) string { return in.Key }
	m.Narrow = func(in SetInput, _ SetOutput) (string, bool) { return in.Key + "/" + plain(in.Value), in.Op != SetRead }
	m.Settle = setSettle
	m.Equal, m.Hash = SetState.equal, SetState.hash
	m.Size = func(SetState) int { return 1024 }
	m.Validate = func(in SetInput) error {
		if in.Op < SetAdd || in.Op > SetRead {
			return strictjson.Errorf("op", "no such operation %d", in.Op)
		}
		return nil
	}
	m.DescribeInput, m.DescribeOutput = describeSetInput, describeSetOutput
	m.DescribeState = func(s SetState) string { return describeList(s.values()) }
	m.Codec = Codec[SetInput, SetOutput]{
		EncodeInput: encodeSetInput, EncodeOutput: encodeSetOutput,
		DecodeInput: decodeSetInput, DecodeOutput: decodeSetOutput,
	}
	return &m
}

func (s SetState) apply(in SetInput) (SetState, SetOutput) {
	found := s.has(in.Value)
	switch {
	case in.Op == SetRead:
		return s, SetOutput{Values: s.values()}
	case in.Op == SetAdd && !found:
		return s.changed(in.Value, true), SetOutput{}
	case in.Op == SetRemove && found:
		return s.changed(in.Value, false), SetOutput{Found: true}
	}
	return s, SetOutput{Found: found}
}

func sameSetOutput(in SetInput, want, got SetOutput) bool {
	switch in.Op {
	case SetAdd:
		return true
	case SetRemove:
		return got.Untold || want.Found == got.Found
	case SetRead:
		return slices.Equal(want.Values, got.Values)
	}
	return want.Found == got.Found
}

func (s SetState) has(value string) bool {
	if s.set == nil {
		return false
	}
	_, found := s.set.rows.Get(value)
	return found
}

// changed returns the set with one value more or less.
func (s SetState) changed(value string, add bool) SetState {
	next := &setRows{rows: &btree.Map[string, struct{}]{}}
	if s.set != nil {
		next.sum, next.rows = s.set.sum, s.set.rows.Copy()
	}
	if h := xxhash.Sum64String(value); add {
		next.rows.Set(value, struct{}{})
		next.sum += h
	} else {
		next.rows.Delete(value)
		next.sum -= h
	}
	return SetState{next}
}

func (s SetState) values() []string {
	if s.set == nil {
		return []string{}
	}
	return s.set.rows.Keys()
}

func (s SetState) equal(t SetState) bool {
	return s.set == t.set || s.hash() == t.hash() && slices.Equal(s.values(), t.values())
}

func (s SetState) hash() uint64 {
	if s.set == nil {
		return 0
	}
	return s.set.sum
}

// setSettle is the Settle of the model of sets, for values that are never removed. Two rules:
//
//  1. An unknown add of a value that no operation found can be left out: the only operations that distinguish the set
//     with the value from the set without it are those that did not find it.
//  2. If a value was found, and only one operation adds it, that add took effect before the first operation that found
//     the value returned.
func setSettle(ops []*history.Operation[SetInput, SetOutput], until []int64) {
	if !anyUnknown(ops) {
		return
	}
	adds, removed, found := map[string]int{}, map[string]bool{}, map[string]int64{}
	saw := func(value string, at int64) {
		if first, ok := found[value]; !ok || at < first {
			found[value] = at
		}
	}
	for _, op := range ops {
		switch in := &op.Input; {
		case in.Op == SetAdd:
			adds[in.Value]++
		case in.Op == SetRemove:
			removed[in.Value] = true
		case op.Output.Found:
			saw(in.Value, op.Return)
		}
		for _, value := range op.Seen().Values {
			saw(value, op.Return)
		}
	}
	for i, op := range ops {
		value := op.Input.Value
		first, seen := found[value]
		switch {
		case op.Outcome != history.OutcomeUnknown || op.Input.Op != SetAdd || removed[value]:
		case !seen:
			until[i] = NoEffect
		case adds[value] == 1 && first > op.Call:
			until[i] = first
		}
	}
}
