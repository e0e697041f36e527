package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// describer makes schemas of types. Structs with a name become definitions, each once.
type describer struct {
	comments *comments
	enums    map[reflect.Type][]string
	defs     object
	named    map[string]reflect.Type // of defs
}

var (
	textType = reflect.TypeFor[encoding.TextMarshaler]()
	jsonType = reflect.TypeFor[json.Marshaler]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

// of is the schema of a type as encoding/json encodes it.
func (d *describer) of(t reflect.Type) (object, error) {
	switch {
	case d.enums[t] != nil:
		return object{{"type", "string"}, {"enum", d.enums[t]}}, nil
	case t == rawType:
		return object{}, nil // anything
	case t.Implements(textType):
		return object{{"type", "string"}}, nil
	case t.Implements(jsonType):
		return nil, fmt.Errorf("%v encodes itself: its form is not known", t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{{"type", "boolean"}}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{{"type", "integer"}}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{{"type", "integer"}, {"minimum", 0}}, nil
	case reflect.Float32, reflect.Float64:
		return object{{"type", "number"}}, nil
	case reflect.String:
		return object{{"type", "string"}}, nil
	case reflect.Slice, reflect.Array:
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			return object{{"type", "string"}, {"contentEncoding", "base64"}}, nil
		}
		elem := t.Elem()
		if elem.Kind() == reflect.Pointer {
			elem = elem.Elem() // no list has a nil in it
		}
		items, err := d.of(elem)
		return object{{"type", "array"}, {"items", items}}, err
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("%v: only names can be keys", t)
		}
		values, err := d.of(t.Elem())
		return object{{"type", "object"}, {"additionalProperties", values}}, err
	case reflect.Pointer:
		is, err := d.of(t.Elem())
		return object{{"anyOf", []object{is, {{"type", "null"}}}}}, err
	case reflect.Struct:
		return d.structure(t)
	}
	return nil, fmt.Errorf("%v cannot stand in a document", t)
}

// structure is a reference to the definition of a struct.
func (d *describer) structure(t reflect.Type) (object, error) {
	name := t.Name()
	if name == "" {
		return d.fields(t)
	}
	if of := d.named[name]; of != nil && of != t {
		return nil, fmt.Errorf("%v and %v have one name", of, t)
	} else if of == nil {
		at := len(d.defs)
		d.named[name] = t
		d.defs = append(d.defs, member{name, nil}) // before its fields, which may refer to it
		is, err := d.fields(t)
		if err != nil {
			return nil, err
		}
		d.defs[at].value = is
	}
	return object{{"$ref", "#/$defs/" + name}}, nil
}

// fields is the schema of a struct itself.
func (d *describer) fields(t reflect.Type) (object, error) {
	properties, required, err := d.properties(t)
	if err != nil {
		return nil, err
	}
	about, err := d.comments.of(t)
	return object{}.with("type", "object").with("description", about).with("properties", properties).with("required", required), err
}

func (d *describer) properties(t reflect.Type) (properties object, required []string, err error) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if f.Anonymous && tag == "" {
			of := f.Type
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			inner, demanded, err := d.properties(of)
			if err != nil {
				return nil, nil, err
			}
			properties, required = append(properties, inner...), append(required, demanded...)
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if !f.IsExported() || tag == "-" {
			continue
		}
		if name == "" {
			return nil, nil, fmt.Errorf("%v.%s has no name in JSON", t, f.Name)
		}
		of, optional := f.Type, strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		if of.Kind() == reflect.Pointer && optional {
			of = of.Elem() // nil is left out
		}
		is, err := d.of(of)
		if err != nil {
			return nil, nil, fmt.Errorf("%v.%s: %w", t, f.Name, err)
		}
		about, err := d.comments.field(t, f.Name)
		if err != nil {
			return nil, nil, err
		}
		properties = append(properties, member{name, object{}.with("description", about).and(is)})
		if !optional {
			required = append(required, name)
		}
	}
	return properties, required, nil
}

// and is both objects.
func (o object) and(p object) object { return append(o, p...) }
