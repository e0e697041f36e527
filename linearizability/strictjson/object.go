package strictjson

import "bytes"

// Object is a JSON object that keeps the order of its fields.
type Object []member

// member is one field.
type member struct {
	name  string
	value any
}

// Encode returns the JSON text, with the fields in their order.
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

// With returns o with one more field. Like append, it may change the array under o.
func (o Object) With(name string, value any) Object { return append(o, member{name, value}) }

// Number is With for a number that is not 0; otherwise it returns o.
func (o Object) Number(name string, v uint64) Object {
	if v == 0 {
		return o
	}
	return o.With(name, v)
}

// MarshalJSON returns the same as Encode.
func (o Object) MarshalJSON() ([]byte, error) { return o.Encode() }

// DecodeOptional is Decode for an object that may be left out: it accepts empty data and null, and then leaves into as
// it is.
func DecodeOptional(data []byte, into any) error {
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return nil
	}
	return Decode(data, into)
}

// OrZero returns *p, or the zero T if p is nil.
func OrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Need says whether an object must, may or must not have a field.
type Need uint8

// The needs.
const (
	Never Need = iota // the object must not have the field
	May               // the object may have the field
	Must              // the object must have the field
)

// Only returns Must if the field belongs to the object, else Never.
func Only(belongs bool) Need {
	if belongs {
		return Must
	}
	return Never
}

// Perhaps returns May if the field belongs to the object, else Never.
func Perhaps(belongs bool) Need {
	if belongs {
		return May
	}
	return Never
}

// Presence is a field, whether an object has it, and whether it should.
type Presence struct {
	name  string
	given bool
	need  Need
}

// Needs returns the Presence of a field. given says whether the object has it.
func Needs(name string, given bool, n Need) Presence { return Presence{name, given, n} }

// CheckFields returns a FieldError about the first field that is missing from an object or does not belong to it; nil if
// there is none. of describes the object in the error.
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

// FirstError returns the first error that is not nil, or nil.
func FirstError(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}
