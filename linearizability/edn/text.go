package edn

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// number returns the digits of a number without a plus sign, and without the N of a large integer; "" if w is not a
// number. A decimal keeps its M, because no decimal equals an integer or a float. An integer of another base, as in
// #object[Name 0x1f "..."], gets decimal digits.
func number(w string) string {
	digits, large := strings.CutSuffix(strings.TrimPrefix(w, "+"), "N")
	if strings.ContainsAny(digits, "xXrR") {
		return inDecimal(digits)
	}
	digits, exact := strings.CutSuffix(digits, "M")
	over, under, ratio := strings.Cut(digits, "/")
	switch {
	case large && exact || ratio && (large || exact):
		return ""
	case ratio:
		over, under = integer(over), integer(under)
		if over == "" || under == "" || under == "0" || under[0] == '-' {
			return ""
		}
		return over + "/" + under
	case exact && isFloat(digits):
		return digits + "M"
	case strings.Trim(digits, "-0123456789") == "":
		return integer(digits)
	case !large && isFloat(digits):
		if _, err := strconv.ParseFloat(digits, 64); err == nil {
			return digits
		}
	}
	return ""
}

// integer returns an integer, without the sign of a 0; "" if digits are not an integer.
func integer(digits string) string {
	plain := strings.TrimPrefix(digits, "-")
	if plain == "" || strings.Trim(plain, "0123456789") != "" || len(plain) > 1 && plain[0] == '0' {
		return ""
	}
	if plain == "0" {
		return plain // -0 is 0
	}
	return digits
}

// based has the sign of an integer, and its hexadecimal digits, or its base and its digits.
var based = regexp.MustCompile(`^(-?)(?:0[xX]([0-9a-fA-F]+)|([0-9]{1,2})[rR]([0-9a-zA-Z]+))$`)

// inDecimal returns the decimal digits of an integer of another base; "" if it is none.
func inDecimal(w string) string {
	part := based.FindStringSubmatch(w)
	if part == nil || len(w) > 1000 { // a longer one takes its time, and no program has one
		return ""
	}
	base := 16
	if part[3] != "" {
		base, _ = strconv.Atoi(part[3])
	}
	if base < 2 || base > 36 {
		return ""
	}
	n, ok := new(big.Int).SetString(part[1]+part[2]+part[4], base)
	if !ok {
		return ""
	}
	return n.String()
}

// isFloat reports whether digits are those of a float, a decimal without its M, or an integer, in Clojure's syntax.
func isFloat(digits string) bool { return floats.MatchString(digits) }

var floats = regexp.MustCompile(`^-?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$`)

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

// escape returns the character of an escape, from the text after its backslash, and the length of the escape in bytes;
// 0: it is unknown.
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

// characters are the characters that have names.
var characters = map[string]string{"newline": "\n", "return": "\r", "space": " ", "tab": "\t", "backspace": "\b", "formfeed": "\f"}

// nameOf returns a character as it is written after a backslash.
func nameOf(text string) string {
	for name, c := range characters {
		if c == text {
			return name
		}
	}
	if c, _ := utf8.DecodeRuneInString(text); !unicode.IsPrint(c) && c <= 0xffff {
		return fmt.Sprintf("u%04x", c)
	}
	return text
}

// character reads a character.
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
	if v.Kind, v.Text = Character, name; utf8.RuneCountInString(name) != 1 || !utf8.ValidString(name) {
		return v, r.fault(v.Line, `\%s is no character`, r.data[from:r.at])
	}
	return v, nil
}
