package edn

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// number is a number's digits without a plus, and without the N or M of exact ones; "" if it
// is none.
func number(w string) string {
	digits := strings.TrimPrefix(strings.TrimRight(w, "NM"), "+")
	if len(w)-len(strings.TrimRight(w, "NM")) > 1 {
		return ""
	}
	if strings.Trim(digits, "-0123456789") == "" {
		plain := strings.TrimPrefix(digits, "-")
		if strings.Contains(plain, "-") || len(plain) > 1 && plain[0] == '0' {
			return ""
		}
		if plain == "0" {
			return plain // there is no -0
		}
		return digits
	}
	if strings.Trim(digits, "-+.0123456789eE") != "" {
		return "" // what ParseFloat would take beside
	}
	if _, err := strconv.ParseFloat(digits, 64); err != nil {
		return ""
	}
	return digits
}

// text reads a string.
func (r *Reader) text(v Value) (Value, error) {
	v.Kind = String
	r.at++
	from := r.at
	var b strings.Builder
	for r.at < len(r.data) {
		switch c := r.data[r.at]; c {
		case '"':
			b.WriteString(r.data[from:r.at])
			r.at++
			if v.Text = b.String(); !utf8.ValidString(v.Text) {
				return v, r.fault(v.Line, "a string is not UTF-8")
			}
			return v, nil
		case '\n':
			r.line++
			r.at++
		case '\\':
			b.WriteString(r.data[from:r.at])
			escaped, n := escape(r.data[r.at+1:])
			if n == 0 {
				return v, r.fault(r.line, "a string has an unknown escape %q", r.data[r.at:min(r.at+2, len(r.data))])
			}
			b.WriteString(escaped)
			r.at += 1 + n
			from = r.at
		default:
			r.at++
		}
	}
	return v, r.fault(v.Line, "a string is not closed")
}

// escape is what stands behind a backslash, and in how many bytes; 0 if that is unknown.
func escape(s string) (text string, n int) {
	if s == "" {
		return "", 0
	}
	if i := strings.IndexByte(`tnrbf"\`, s[0]); i >= 0 {
		return "\t\n\r\b\f\"\\"[i : i+1], 1
	}
	if s[0] == 'u' && len(s) >= 5 {
		if c, err := strconv.ParseUint(s[1:5], 16, 32); err == nil && utf8.ValidRune(rune(c)) {
			return string(rune(c)), 5
		}
	}
	return "", 0
}

// characters are those with names.
var characters = map[string]string{"newline": "\n", "return": "\r", "space": " ", "tab": "\t", "backspace": "\b", "formfeed": "\f"}

// character reads a character as a string of one.
func (r *Reader) character(v Value) (Value, error) {
	r.at++
	first, size := utf8.DecodeRuneInString(r.data[r.at:])
	if unicode.IsSpace(first) {
		return v, r.fault(v.Line, `\ stands before white space, and names no character`)
	}
	from := r.at
	r.at += size
	r.token()
	name := r.data[from:r.at]
	named, ok := characters[name]
	switch {
	case ok:
		name = named
	case len(name) == 5 && name[0] == 'u':
		name, _ = escape(name)
	}
	if v.Kind, v.Text = String, name; utf8.RuneCountInString(name) != 1 || !utf8.ValidString(name) {
		return v, r.fault(v.Line, `\%s is no character`, r.data[from:r.at])
	}
	return v, nil
}
