package model

import (
	"errors"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/linearizability/strictjson"
)

func describeSetInput(in SetInput) string {
	if in.Op == SetRead {
		return strings.TrimSpace("read " + in.Key)
	}
	return strings.TrimSpace(setOps.Of(in.Op)+" "+in.Key) + " " + shown(in.Value)
}

func describeSetOutput(in SetInput, out SetOutput) string {
	switch {
	case in.Op == SetRead:
		return describeList(out.Values)
	case in.Op == SetAdd || out.Untold:
		return "ok"
	case out.Found:
		return "found"
	}
	return "not found"
}

func describeList(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = shown(v)
	}
	return "{" + strings.Join(quoted, " ") + "}"
}

func encodeSetInput(in SetInput) ([]byte, error) {
	name, ok := setOps.word(in.Op)
	if !ok {
		return nil, errors.New("op: no such operation")
	}
	m := strictjson.Object{}.With("op", name)
	if in.Key != "" {
		m = m.With("key", strictjson.Text(in.Key))
	}
	if in.Op != SetRead {
		m = m.With("value", strictjson.Text(in.Value))
	}
	return m.Encode()
}

func encodeSetOutput(in SetInput, out SetOutput) ([]byte, error) {
	switch {
	case in.Op == SetRead:
		values := make([]strictjson.Text, len(out.Values))
		for i, v := range out.Values {
			values[i] = strictjson.Text(v)
		}
		return strictjson.Object{}.With("values", values).Encode()
	case in.Op == SetAdd || out.Untold:
		return strictjson.Object{}.Encode()
	}
	return strictjson.Object{}.With("found", out.Found).Encode()
}

// valueFields are all fields that an input about one value may have.
type valueFields struct {
	Op    string              `json:"op"`
	Key   strictjson.Optional `json:"key"`
	Value strictjson.Optional `json:"value"`
}

// read decodes an input, and refuses fields that do not belong to it. has is called after Op was decoded, and reports
// whether the operation has a value.
func (f *valueFields) read(data []byte, has func() (bool, error)) (key, value string, err error) {
	if err := strictjson.Decode(data, f); err != nil {
		return "", "", err
	}
	if err := strictjson.FirstError(f.Key.Broken("key"), f.Value.Broken("value")); err != nil {
		return "", "", err
	}
	needed, err := has()
	switch {
	case err != nil:
		return "", "", err
	case f.Key.Given && f.Key.Text == nil:
		return "", "", strictjson.Errorf("key", "missing")
	case needed && f.Value.Text == nil:
		return "", "", strictjson.Errorf("value", "missing")
	case !needed && f.Value.Given:
		return "", "", strictjson.Errorf("value", "%s has none", f.Op)
	}
	key, _ = f.Key.Value()
	value, _ = f.Value.Value()
	return key, value, nil
}

func decodeSetInput(data []byte) (in SetInput, err error) {
	var f valueFields
	in.Key, in.Value, err = f.read(data, func() (bool, error) {
		var ok bool
		if in.Op, ok = setOps.value(f.Op); !ok {
			return false, setOps.unknown(f.Op)
		}
		return in.Op != SetRead, nil
	})
	return in, err
}

func decodeSetOutput(in SetInput, data []byte) (out SetOutput, err error) {
	var f struct {
		Found  *bool              `json:"found"`
		Values *[]strictjson.Text `json:"values"`
	}
	if err := strictjson.DecodeOptional(data, &f); err != nil {
		return out, err
	}
	found := strictjson.Only(in.Op == SetHas)
	if in.Op == SetRemove {
		found = strictjson.May
	}
	err = strictjson.CheckFields("this operation's output",
		strictjson.Needs("found", f.Found != nil, found),
		strictjson.Needs("values", f.Values != nil, strictjson.Only(in.Op == SetRead)),
	)
	if err != nil {
		return out, err
	}
	out.Found = strictjson.OrZero(f.Found)
	out.Untold = in.Op == SetRemove && f.Found == nil
	if f.Values != nil {
		out.Values = []string{}
		for _, v := range *f.Values {
			out.Values = append(out.Values, string(v))
		}
	}
	slices.Sort(out.Values)
	return out, nil
}
