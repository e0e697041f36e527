package strictjson

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Text is a string of bytes in JSON: a string, or {"base64": "..."} when it is
// not UTF-8. A number stands for its own digits, since many systems' registers
// hold numbers. A nil *Text is null: nothing there.
type Text string

// MarshalJSON writes the plainest form.
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

// unquote refuses what encoding/json would silently replace: two different
// values must not become one.
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

// Plain is json.Marshal without escapes meant for HTML.
func Plain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// Optional tells a field that is null from one that is missing. A value it
// cannot read is kept as an error, so that the field can be named.
type Optional struct {
	Given bool
	Text  *Text
	Err   error
}

// UnmarshalJSON never fails; the reader of the fields reports Broken.
func (o *Optional) UnmarshalJSON(data []byte) error {
	o.Given = true
	o.Err = json.Unmarshal(data, &o.Text)
	return nil
}

// Broken is the error of the field with this name, if its value cannot be read.
func (o *Optional) Broken(name string) error {
	if o.Err == nil {
		return nil
	}
	return &FieldError{name, o.Err}
}

// Value is the value, if the field is there and not null.
func (o *Optional) Value() (string, bool) {
	if o.Text == nil {
		return "", false
	}
	return string(*o.Text), true
}

// Some is the text of a value, null if there is none.
func Some(value string, found bool) *Text {
	if !found {
		return nil
	}
	t := Text(value)
	return &t
}

// Pair is a key and its value, as an array of two.
type Pair [2]Text

// UnmarshalJSON takes exactly two: encoding/json would fill up or cut.
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
