package linearizability

import (
	"bytes"
	"errors"
)

// kvNames are the operations' names in files.
type kvNames [OpList + 1]string

// kvCodec is the codec of the key/value model.
func kvCodec() Codec[KVInput, KVOutput] {
	return codecOf(kvNames{OpGet: "get", OpPut: "put", OpDelete: "delete", OpCAS: "cas", OpList: "list"}, true)
}

func codecOf(names kvNames, keyed bool) Codec[KVInput, KVOutput] {
	return Codec[KVInput, KVOutput]{
		EncodeInput:  func(in KVInput) ([]byte, error) { return encodeKVInput(names, keyed, in) },
		EncodeOutput: encodeKVOutput,
		DecodeInput:  func(data []byte) (KVInput, error) { return decodeKVInput(names, keyed, data) },
		DecodeOutput: decodeKVOutput,
	}
}

func encodeKVInput(names kvNames, keyed bool, in KVInput) ([]byte, error) {
	if in.Op < OpGet || int(in.Op) >= len(names) || names[in.Op] == "" {
		return nil, errors.New("op: no such operation")
	}
	m := kvObject{{"op", names[in.Op]}}
	if in.Op == OpList {
		return append(m, kvField{"prefix", text(in.Key)}).encode()
	}
	if keyed || in.Key != "" {
		m = append(m, kvField{"key", text(in.Key)})
	}
	if in.Op == OpCAS {
		m = append(m, kvField{"expect", some(in.Expect, !in.Absent)})
	}
	if in.Op == OpPut || in.Op == OpCAS {
		m = append(m, kvField{"value", text(in.Value)})
	}
	return m.encode()
}

func encodeKVOutput(in KVInput, out KVOutput) ([]byte, error) {
	switch in.Op {
	case OpGet:
		return kvObject{{"value", some(out.Value, out.Found)}}.encode()
	case OpDelete:
		return kvObject{{"found", out.Found}}.encode()
	case OpCAS:
		if out.OK {
			return kvObject{{"ok", true}}.encode()
		}
		return kvObject{{"ok", false}, {"value", some(out.Value, out.Found)}}.encode()
	case OpList:
		pairs := make([]pair, len(out.Pairs))
		for i, p := range out.Pairs {
			pairs[i] = pair{text(p.Key), text(p.Value)}
		}
		return kvObject{{"pairs", pairs}}.encode()
	}
	return nil, nil
}

// kvObject is a JSON object that keeps the order of its fields.
type kvObject []kvField

type kvField struct {
	name  string
	value any
}

func (o kvObject) encode() ([]byte, error) {
	b := []byte{'{'}
	for i, f := range o {
		value, err := plainJSON(f.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), f.name...), `":`...)
		b = append(b, value...)
	}
	return append(b, '}'), nil
}

// kvInputFields are all fields an input may have.
type kvInputFields struct {
	Op     string   `json:"op"`
	Key    optional `json:"key"`
	Prefix optional `json:"prefix"`
	Value  optional `json:"value"`
	Expect optional `json:"expect"`
}

func decodeKVInput(names kvNames, keyed bool, data []byte) (KVInput, error) {
	var f kvInputFields
	if err := strictJSON(data, &f); err != nil {
		return KVInput{}, err
	}
	if err := f.broken(); err != nil {
		return KVInput{}, err
	}
	in := KVInput{}
	for op := OpGet; op <= OpList; op++ {
		if f.Op != "" && names[op] == f.Op {
			in.Op = op
		}
	}
	if in.Op == 0 {
		return in, field("op", "there is no operation %q", f.Op)
	}
	return in, f.fill(&in, keyed)
}

// broken is the error of the first field whose value cannot be read.
func (f *kvInputFields) broken() error {
	for _, o := range []struct {
		name string
		o    *optional
	}{{"key", &f.Key}, {"prefix", &f.Prefix}, {"value", &f.Value}, {"expect", &f.Expect}} {
		if o.o.err != nil {
			return &fieldError{o.name, o.o.err}
		}
	}
	return nil
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
	if len(data) > 0 && !bytes.Equal(data, []byte("null")) {
		if err := strictJSON(data, &f); err != nil {
			return KVOutput{}, err
		}
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
	conflict := op == OpCAS && f.OK != nil && !*f.OK
	for _, c := range []struct {
		name         string
		given, wants bool
	}{
		{"ok", f.OK != nil, op == OpCAS},
		{"found", f.Found != nil, op == OpDelete},
		{"value", f.Value.given, op == OpGet || conflict},
		{"pairs", f.Pairs != nil, op == OpList},
	} {
		switch {
		case c.wants && !c.given:
			return field(c.name, "missing")
		case c.given && !c.wants && !(op == OpPut && c.name == "ok" && *f.OK):
			return field(c.name, "does not belong to this operation's output")
		}
	}
	return nil
}
