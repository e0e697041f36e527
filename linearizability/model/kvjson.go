package model

import (
	"errors"

	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// kvCodec is the codec of the key/value model.
func kvCodec() Codec[KVInput, KVOutput] {
	return codecOf(Words[KVOp]{OpGet: "get", OpPut: "put", OpDelete: "delete", OpCAS: "cas", OpList: "list", OpAppend: "append"}, true)
}

func codecOf(ops Words[KVOp], keyed bool) Codec[KVInput, KVOutput] {
	return Codec[KVInput, KVOutput]{
		EncodeInput:  func(in KVInput) ([]byte, error) { return encodeKVInput(ops, keyed, in) },
		EncodeOutput: encodeKVOutput,
		DecodeInput:  func(data []byte) (KVInput, error) { return decodeKVInput(ops, keyed, data) },
		DecodeOutput: decodeKVOutput,
	}
}

func encodeKVInput(ops Words[KVOp], keyed bool, in KVInput) ([]byte, error) {
	name, ok := ops.word(in.Op)
	if !ok {
		return nil, errors.New("op: no such operation")
	}
	m := strictjson.Object{}.With("op", name)
	if in.Op == OpList {
		return m.With("prefix", strictjson.Text(in.Key)).Encode()
	}
	if keyed || in.Key != "" {
		m = m.With("key", strictjson.Text(in.Key))
	}
	if in.Op == OpCAS {
		m = m.With("expect", strictjson.Some(in.Expect, !in.Absent))
	}
	if in.Op.writes() {
		m = m.With("value", strictjson.Text(in.Value))
	}
	return m.Encode()
}

// writes reports whether o has a new value, or the end of one.
func (o KVOp) writes() bool { return o == OpPut || o == OpCAS || o == OpAppend }

func encodeKVOutput(in KVInput, out KVOutput) ([]byte, error) {
	switch in.Op {
	case OpGet:
		m := strictjson.Object{}.With("value", strictjson.Some(out.Value, out.Found))
		if out.OrNone {
			m = m.With("or_none", true)
		}
		return m.Encode()
	case OpDelete:
		return strictjson.Object{}.With("found", out.Found).Encode()
	case OpCAS:
		if out.OK {
			return strictjson.Object{}.With("ok", true).Encode()
		}
		if out.Unseen {
			return strictjson.Object{}.With("ok", false).Encode()
		}
		return strictjson.Object{}.With("ok", false).With("value", strictjson.Some(out.Value, out.Found)).Encode()
	case OpList:
		pairs := make([]strictjson.Pair, len(out.Pairs))
		for i, p := range out.Pairs {
			pairs[i] = strictjson.Pair{strictjson.Text(p.Key), strictjson.Text(p.Value)}
		}
		return strictjson.Object{}.With("pairs", pairs).Encode()
	}
	return nil, nil
}

// kvInputFields are all fields an input may have.
type kvInputFields struct {
	Op     string              `json:"op"`
	Key    strictjson.Optional `json:"key"`
	Prefix strictjson.Optional `json:"prefix"`
	Value  strictjson.Optional `json:"value"`
	Expect strictjson.Optional `json:"expect"`
}

func decodeKVInput(ops Words[KVOp], keyed bool, data []byte) (KVInput, error) {
	var f kvInputFields
	if err := strictjson.Decode(data, &f); err != nil {
		return KVInput{}, err
	}
	if err := strictjson.FirstError(f.Key.Broken("key"), f.Prefix.Broken("prefix"), f.Value.Broken("value"), f.Expect.Broken("expect")); err != nil {
		return KVInput{}, err
	}
	op, ok := ops.value(f.Op)
	if !ok {
		return KVInput{}, ops.unknown(f.Op)
	}
	in := KVInput{Op: op}
	return in, f.fill(&in, keyed)
}

// fill sets in from the fields, and refuses fields that do not belong to the operation.
func (f *kvInputFields) fill(in *KVInput, keyed bool) error {
	writes := in.Op.writes()
	key, name := f.Key, "key"
	if in.Op == OpList {
		key, name = f.Prefix, "prefix"
	}
	switch {
	case in.Op != OpList && f.Prefix.Given:
		return strictjson.Errorf("prefix", "only a list has one")
	case in.Op == OpList && f.Key.Given:
		return strictjson.Errorf("key", "a list has a prefix instead")
	case key.Text == nil && (keyed || key.Given):
		return strictjson.Errorf(name, "missing")
	case writes && f.Value.Text == nil:
		return strictjson.Errorf("value", "missing")
	case !writes && f.Value.Given:
		return strictjson.Errorf("value", "%s has none", f.Op)
	case in.Op == OpCAS && !f.Expect.Given:
		return strictjson.Errorf("expect", "missing (null expects that there is no value)")
	case in.Op != OpCAS && f.Expect.Given:
		return strictjson.Errorf("expect", "%s has none", f.Op)
	}
	in.Key, _ = key.Value()
	in.Value, _ = f.Value.Value()
	if in.Op == OpCAS {
		var found bool
		in.Expect, found = f.Expect.Value()
		in.Absent = !found
	}
	return nil
}

// kvOutputFields are all fields an output may have.
type kvOutputFields struct {
	OK     *bool               `json:"ok"`
	Found  *bool               `json:"found"`
	Value  strictjson.Optional `json:"value"`
	OrNone *bool               `json:"or_none"`
	Pairs  *[]strictjson.Pair  `json:"pairs"`
}

func decodeKVOutput(in KVInput, data []byte) (KVOutput, error) {
	var f kvOutputFields
	if err := strictjson.DecodeOptional(data, &f); err != nil {
		return KVOutput{}, err
	}
	if err := f.Value.Broken("value"); err != nil {
		return KVOutput{}, err
	}
	if err := f.check(in.Op); err != nil {
		return KVOutput{}, err
	}
	out := KVOutput{OK: f.OK != nil && *f.OK, Found: f.Found != nil && *f.Found}
	if f.Value.Given {
		out.Value, out.Found = f.Value.Value()
	}
	out.Unseen = in.Op == OpCAS && !out.OK && !f.Value.Given
	if out.OrNone = f.OrNone != nil && *f.OrNone; out.OrNone && (out.Value != "" || !out.Found) {
		return out, strictjson.Errorf("or_none", "only the empty value may stand for none")
	}
	if f.Pairs != nil {
		for _, p := range *f.Pairs {
			out.Pairs = append(out.Pairs, KVPair{string(p[0]), string(p[1])})
		}
	}
	return out, nil
}

// check refuses an output that lacks a field of its operation, or has a field that does not belong to it. The output of
// a put or an append may have "ok": true.
func (f *kvOutputFields) check(op KVOp) error {
	ok := strictjson.Only(op == OpCAS)
	if (op == OpPut || op == OpAppend) && f.OK != nil && *f.OK {
		ok = strictjson.May
	}
	value := strictjson.Only(op == OpGet)
	if op == OpCAS && f.OK != nil && !*f.OK {
		value = strictjson.May
	}
	return strictjson.CheckFields("this operation's output",
		strictjson.Needs("ok", f.OK != nil, ok),
		strictjson.Needs("found", f.Found != nil, strictjson.Only(op == OpDelete)),
		strictjson.Needs("value", f.Value.Given, value),
		strictjson.Needs("or_none", f.OrNone != nil, strictjson.Perhaps(op == OpGet)),
		strictjson.Needs("pairs", f.Pairs != nil, strictjson.Only(op == OpList)),
	)
}
