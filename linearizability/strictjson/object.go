package strictjson

import "bytes"

// Object is a JSON object that keeps the order of its fields.
type Object []member

// member is one field.
type member struct {
	name  string
	value any
}

// Encode writes the fields in their order.
func (o Object) Encode() ([]byte, error) {
	b := []byte{'{'}
	for i, f := range o {
		value, err := Plain(f.value)
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

// With adds a field.
func (o Object) With(name string, value any) Object { return append(o, member{name, value}) }

// Number adds a number, if there is one.
func (o Object) Number(name string, v uint64) Object {
	if v == 0 {
		return o
	}
	return o.With(name, v)
}

// MarshalJSON is Encode.
func (o Object) MarshalJSON() ([]byte, error) { return o.Encode() }

// DecodeOptional is Decode for an object whose fields may all be left out, and then the
// object too.
func DecodeOptional(data []byte, into any) error {
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return nil
	}
	return Decode(data, into)
}

// OrZero is what p points to, or nothing.
func OrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Need says whether an object has a field.
type Need uint8

// What an object does with a field.
const (
	Never Need = iota // it has none
	May               // it may have it
	Must              // it has it
)

// Only is Must where a field belongs, and Never elsewhere.
func Only(belongs bool) Need {
	if belongs {
		return Must
	}
	return Never
}

// Perhaps is May where a field belongs, and Never elsewhere.
func Perhaps(belongs bool) Need {
	if belongs {
		return May
	}
	return Never
}

// Presence is a field, whether it is there, and whether it should be.
type Presence struct {
	name  string
	given bool
	need  Need
}

// Needs says of a field whether it is there, and whether it should be.
func Needs(name string, given bool, n Need) Presence { return Presence{name, given, n} }

// CheckFields finds the first field that is missing from an object or does not
// belong to it; of is what the object is.
func CheckFields(of string, all ...Presence) error {
	for _, p := range all {
		switch {
		case p.need == Must && !p.given:
			return Errorf(p.name, "missing")
		case p.need == Never && p.given:
			return Errorf(p.name, "does not belong to %s", of)
		}
	}
	return nil
}

// FirstError is the first error there is, nil if there is none.
func FirstError(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}
