package linearizability

import "bytes"

// object is a JSON object that keeps the order of its fields.
type object []member

type member struct {
	name  string
	value any
}

func (o object) encode() ([]byte, error) {
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

// number adds a number, if there is one.
func (o object) number(name string, v uint64) object {
	if v == 0 {
		return o
	}
	return append(o, member{name, v})
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) { return o.encode() }

// objectOrNothing decodes an object whose fields may all be left out, and then
// the object too.
func objectOrNothing(data []byte, into any) error {
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return nil
	}
	return strictJSON(data, into)
}

// orZero is what p points to, or nothing.
func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// need says whether an object has a field.
type need uint8

const (
	never need = iota
	may
	must
)

// only is must where a field belongs, and never elsewhere.
func only(belongs bool) need {
	if belongs {
		return must
	}
	return never
}

// perhaps is may where a field belongs, and never elsewhere.
func perhaps(belongs bool) need {
	if belongs {
		return may
	}
	return never
}

// use is a field, whether it is there, and whether it should be.
type use struct {
	name  string
	given bool
	need  need
}

// checkFields finds the first field that is missing from an object or does not
// belong to it; of is what the object is.
func checkFields(of string, uses ...use) error {
	for _, u := range uses {
		switch {
		case u.need == must && !u.given:
			return field(u.name, "missing")
		case u.need == never && u.given:
			return field(u.name, "does not belong to %s", of)
		}
	}
	return nil
}

// firstBroken is the error of the first field whose text cannot be read.
func firstBroken(fields ...broken) error {
	for _, f := range fields {
		if f.field.err != nil {
			return &fieldError{f.name, f.field.err}
		}
	}
	return nil
}

// broken is a field that may be.
type broken struct {
	name  string
	field *optional
}
