package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// FieldError is an error about one field of an object. Field is a path, with a dot between the name of a field and that
// of a field in its value.
type FieldError struct {
	Field string
	Err   error
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *FieldError) Unwrap() error { return e.Err }

// Errorf returns a FieldError about the field with this name.
func Errorf(name, format string, args ...any) error {
	return &FieldError{name, fmt.Errorf(format, args...)}
}

// Below puts an error about a nested field under its parent's name.
func Below(parent string, err error) error {
	var f *FieldError
	if errors.As(err, &f) {
		return &FieldError{parent + "." + f.Field, f.Err}
	}
	return &FieldError{parent, err}
}

// Decode decodes data, which must be one JSON value, and nothing after it. It refuses unknown and repeated fields. An
// error about one field is a FieldError.
func Decode(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return Errorf(wrong.Field, "%s where %s belongs", wrong.Value, wrong.Type)
	case errors.As(err, &wrong):
		return fmt.Errorf("%s where an object belongs", wrong.Value)
	case err != nil:
		return err
	}
	if dec.InputOffset() != int64(len(bytes.TrimRight(data, " \t\r\n"))) {
		return errors.New("something follows the object")
	}
	return Twice(data, reflect.Indirect(reflect.ValueOf(into)).Kind() == reflect.Struct)
}
