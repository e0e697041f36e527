package linearizability

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// text is a string of bytes in JSON: a string, or {"base64": "..."} when it is
// not UTF-8. A number stands for its own digits, since many systems' registers
// hold numbers. A nil *text is null: nothing there.
type text string

// MarshalJSON writes the plainest form.
func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return plainJSON(string(t))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(t))})
}

// UnmarshalJSON reads all three forms.
func (t *text) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && (data[0] == '-' || data[0] >= '0' && data[0] <= '9') {
		*t = text(data)
		return nil
	}
	if len(data) > 0 && data[0] == '"' {
		return t.unquote(data)
	}
	var b struct {
		Base64 *string `json:"base64"`
	}
	if err := strictJSON(data, &b); err != nil || b.Base64 == nil {
		return errors.New(`not a string, a number or {"base64":...}`)
	}
	raw, err := base64.StdEncoding.DecodeString(*b.Base64)
	*t = text(raw)
	return err
}

// unquote refuses what encoding/json would silently replace: two different
// values must not become one.
func (t *text) unquote(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if bytes.Contains(data, []byte(`\u`)) && bytes.Count([]byte(s), []byte("\ufffd")) !=
		bytes.Count(data, []byte("\ufffd"))+bytes.Count(bytes.ToLower(data), []byte(`\ufffd`)) {
		return errors.New("half of a surrogate pair is no character")
	}
	*t = text(s)
	return nil
}

// plainJSON is json.Marshal without escapes meant for HTML.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// optional tells a field that is null from one that is missing. A value it
// cannot read is kept as an error, so that the field can be named.
type optional struct {
	given bool
	text  *text
	err   error
}

// UnmarshalJSON never fails; the reader of the fields reports err.
func (o *optional) UnmarshalJSON(data []byte) error {
	o.given = true
	o.err = json.Unmarshal(data, &o.text)
	return nil
}

func (o optional) value() (string, bool) {
	if o.text == nil {
		return "", false
	}
	return string(*o.text), true
}

func some(value string, found bool) *text {
	if !found {
		return nil
	}
	t := text(value)
	return &t
}

// pair is a key and its value, as an array of two.
type pair [2]text

// UnmarshalJSON takes exactly two: encoding/json would fill up or cut.
func (p *pair) UnmarshalJSON(data []byte) error {
	var parts []text
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	if len(parts) != 2 {
		return fmt.Errorf("a pair of %d", len(parts))
	}
	*p = pair(parts)
	return nil
}
