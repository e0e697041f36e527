package strictjson

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Text is a string of bytes. In JSON it is a string, or {"base64": "..."} if it is not UTF-8. A JSON number is read as
// its own digits, because the registers of many systems hold numbers. A nil *Text is null, which means no value.
type Text string

// MarshalJSON writes a string if t is UTF-8, else the base64 form.
func (t Text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return Plain(string(t))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(t))})
}

// UnmarshalJSON reads all three forms.
func (t *Text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && (data[0] == '-' || data[0] >= '0' && data[0] <= '9') {
		*t = Text(data)
		return nil
	}
	if len(data) > 0 && data[0] == '"' {
		return t.unquote(data)
	}
	var b struct {
		Base64 *string `json:"base64"`
	}
	if err := Decode(data, &b); err != nil || b.Base64 == nil {
		return errors.New(`not a string, a number or {"base64":...}`)
	}
	raw, err := base64.StdEncoding.DecodeString(*b.Base64)
	*t = Text(raw)
	return err
}

// unquote reads a JSON string. It refuses halves of surrogate pairs: encoding/json would silently replace them, and two
// different values could become one.
func (t *Text) unquote(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if bytes.Contains(data, []byte(`\u`)) && bytes.Count([]byte(s), []byte("\ufffd")) !=
		bytes.Count(data, []byte("\ufffd"))+bytes.Count(bytes.ToLower(data), []byte(`\ufffd`)) {
		return errors.New("half of a surrogate pair is no character")
	}
	*t = Text(s)
	return nil
}

// Plain is json.Marshal without escapes for HTML.
func Plain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// Optional is the value of a field that may be missing, null or a Text. It keeps the error of a value that it cannot
// read, so that the caller can name the field (Broken).
type Optional struct {
	Given bool  // the object has the field
	Text  *Text // nil: missing or null
	Err   error
}

// UnmarshalJSON never fails: it sets Err.
func (o *Optional) UnmarshalJSON(data []byte) error {
	o.Given = true
	o.Err = json.Unmarshal(data, &o.Text)
	return nil
}

// Broken returns a FieldError with this name if the value could not be read, else nil.
func (o *Optional) Broken(name string) error {
	if o.Err == nil {
		return nil
	}
	return &FieldError{name, o.Err}
}

// Value returns the value. ok is false if the field is missing or null.
func (o *Optional) Value() (value string, ok bool) {
	if o.Text == nil {
		return "", false
	}
	return string(*o.Text), true
}

// Some returns a value as a *Text; nil, which is null, if it was not found.
func Some(value string, found bool) *Text {
	if !found {
		return nil
	}
	t := Text(value)
	return &t
}

// Pair is a key and its value, as an array of two.
type Pair [2]Text

// UnmarshalJSON requires exactly two elements: encoding/json would accept more or fewer.
func (p *Pair) UnmarshalJSON(data []byte) error {
	var parts []Text
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	if len(parts) != 2 {
		return fmt.Errorf("a pair of %d", len(parts))
	}
	*p = Pair(parts)
	return nil
}
