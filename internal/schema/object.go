package schema

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object whose members stay in their order.
type object []member

type member struct {
	name  string
	value any
}

// with is the object with one more member, unless the value says nothing.
func (o object) with(name string, value any) object {
	switch v := value.(type) {
	case string:
		if v == "" {
			return o
		}
	case []string:
		if len(v) == 0 {
			return o
		}
	case object:
		if len(v) == 0 && name != "items" {
			return o
		}
	}
	return append(o, member{name, value})
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
