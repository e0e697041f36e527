package linearizability

import "errors"

// kvCodec is the codec of the key/value model.
func kvCodec() Codec[KVInput, KVOutput] {
	return codecOf(names[KVOp]{OpGet: "get", OpPut: "put", OpDelete: "delete", OpCAS: "cas", OpList: "list"}, true)
}

func codecOf(ops names[KVOp], keyed bool) Codec[KVInput, KVOutput] {
	return Codec[KVInput, KVOutput]{
		EncodeInput:  func(in KVInput) ([]byte, error) { return encodeKVInput(ops, keyed, in) },
		EncodeOutput: encodeKVOutput,
		DecodeInput:  func(data []byte) (KVInput, error) { return decodeKVInput(ops, keyed, data) },
		DecodeOutput: decodeKVOutput,
	}
}

func encodeKVInput(ops names[KVOp], keyed bool, in KVInput) ([]byte, error) {
	name, ok := ops.word(in.Op)
	if !ok {
		return nil, errors.New("op: no such operation")
	}
	m := object{{"op", name}}
	if in.Op == OpList {
		return append(m, member{"prefix", text(in.Key)}).encode()
	}
	if keyed || in.Key != "" {
		m = append(m, member{"key", text(in.Key)})
	}
	if in.Op == OpCAS {
		m = append(m, member{"expect", some(in.Expect, !in.Absent)})
	}
	if in.Op == OpPut || in.Op == OpCAS {
		m = append(m, member{"value", text(in.Value)})
	}
	return m.encode()
}

func encodeKVOutput(in KVInput, out KVOutput) ([]byte, error) {
	switch in.Op {
	case OpGet:
		return object{{"value", some(out.Value, out.Found)}}.encode()
	case OpDelete:
		return object{{"found", out.Found}}.encode()
	case OpCAS:
		if out.OK {
			return object{{"ok", true}}.encode()
		}
		return object{{"ok", false}, {"value", some(out.Value, out.Found)}}.encode()
	case OpList:
		pairs := make([]pair, len(out.Pairs))
		for i, p := range out.Pairs {
			pairs[i] = pair{text(p.Key), text(p.Value)}
		}
		return object{{"pairs", pairs}}.encode()
	}
	return nil, nil
}

// kvInputFields are all fields an input may have.
type kvInputFields struct {
	Op     string   `json:"op"`
	Key    optional `json:"key"`
	Prefix optional `json:"prefix"`
	Value  optional `json:"value"`
	Expect optional `json:"expect"`
}

func decodeKVInput(ops names[KVOp], keyed bool, data []byte) (KVInput, error) {
	var f kvInputFields
	if err := strictJSON(data, &f); err != nil {
		return KVInput{}, err
	}
	if err := firstBroken(broken{"key", &f.Key}, broken{"prefix", &f.Prefix}, broken{"value", &f.Value}, broken{"expect", &f.Expect}); err != nil {
		return KVInput{}, err
	}
	op, ok := ops.value(f.Op)
	if !ok {
		return KVInput{}, field("op", "there is no operation %q", f.Op)
	}
	in := KVInput{Op: op}
	return in, f.fill(&in, keyed)
}

// fill takes the fields that belong to the operation and refuses the others.
func (f *kvInputFields) fill(in *KVInput, keyed bool) error {
	writes := in.Op == OpPut || in.Op == OpCAS
	key, name := f.Key, "key"
	if in.Op == OpList {
		key, name = f.Prefix, "prefix"
	}
	switch {
	case in.Op != OpList && f.Prefix.given:
		return field("prefix", "only a list has one")
	case in.Op == OpList && f.Key.given:
		return field("key", "a list has a prefix instead")
	case key.text == nil && (keyed || key.given):
		return field(name, "missing")
	case writes && f.Value.text == nil:
		return field("value", "missing")
	case !writes && f.Value.given:
		return field("value", "%s has none", f.Op)
	case in.Op == OpCAS && !f.Expect.given:
		return field("expect", "missing (null expects that there is no value)")
	case in.Op != OpCAS && f.Expect.given:
		return field("expect", "%s has none", f.Op)
	}
	in.Key, _ = key.value()
	in.Value, _ = f.Value.value()
	if in.Op == OpCAS {
		var found bool
		in.Expect, found = f.Expect.value()
		in.Absent = !found
	}
	return nil
}

// kvOutputFields are all fields an output may have.
type kvOutputFields struct {
	OK    *bool    `json:"ok"`
	Found *bool    `json:"found"`
	Value optional `json:"value"`
	Pairs *[]pair  `json:"pairs"`
}

func decodeKVOutput(in KVInput, data []byte) (KVOutput, error) {
	var f kvOutputFields
	if err := objectOrNothing(data, &f); err != nil {
		return KVOutput{}, err
	}
	if f.Value.err != nil {
		return KVOutput{}, &fieldError{"value", f.Value.err}
	}
	if err := f.check(in.Op); err != nil {
		return KVOutput{}, err
	}
	out := KVOutput{OK: f.OK != nil && *f.OK, Found: f.Found != nil && *f.Found}
	if f.Value.given {
		out.Value, out.Found = f.Value.value()
	}
	if f.Pairs != nil {
		for _, p := range *f.Pairs {
			out.Pairs = append(out.Pairs, KVPair{string(p[0]), string(p[1])})
		}
	}
	return out, nil
}

// check refuses fields that the operation's output lacks or does not have. A
// put may say ok.
func (f *kvOutputFields) check(op KVOp) error {
	ok := only(op == OpCAS)
	if op == OpPut && f.OK != nil && *f.OK {
		ok = may
	}
	return checkFields("this operation's output",
		use{"ok", f.OK != nil, ok},
		use{"found", f.Found != nil, only(op == OpDelete)},
		use{"value", f.Value.given, only(op == OpGet || op == OpCAS && f.OK != nil && !*f.OK)},
		use{"pairs", f.Pairs != nil, only(op == OpList)},
	)
}
