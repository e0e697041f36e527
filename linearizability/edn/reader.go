package edn

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error says on which line something cannot be read.
type Error struct {
	Line int
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// maxDepth bounds the nesting of forms.
const maxDepth = 100

// Reader reads forms one after the other.
type Reader struct {
	data string
	at   int
	line int
}

// NewReader returns a Reader of data. line is the number of its first line, for errors.
func NewReader(data string, line int) *Reader { return &Reader{data: data, line: line} }

// Next returns the next form, or io.EOF after the last one. Other errors are *Error.
func (r *Reader) Next() (Value, error) {
	if err := r.blank(0); err != nil {
		return Value{}, err
	}
	if r.at == len(r.data) {
		return Value{}, io.EOF
	}
	return r.form(0)
}

func (r *Reader) fault(line int, format string, args ...any) error {
	return &Error{line, fmt.Errorf(format, args...)}
}

func (r *Reader) tooDeep() error { return r.fault(r.line, "nested more than %d deep", maxDepth) }

// blank skips white space, commas, comments and discarded forms.
func (r *Reader) blank(depth int) error {
	if depth > maxDepth {
		return r.tooDeep()
	}
	for r.at < len(r.data) {
		switch c := r.data[r.at]; {
		case c == '\n':
			r.line++
			r.at++
		case c == ' ' || c == '\t' || c == '\r' || c == ',' || c == '\f':
			r.at++
		case c == ';':
			if end := strings.IndexByte(r.data[r.at:], '\n'); end >= 0 {
				r.at += end
			} else {
				r.at = len(r.data)
			}
		case strings.HasPrefix(r.data[r.at:], "#_"):
			line := r.line
			r.at += 2
			if err := r.blank(depth + 1); err != nil {
				return err
			}
			if _, err := r.form(depth + 1); errors.Is(err, io.ErrUnexpectedEOF) {
				return r.fault(line, "#_ discards nothing")
			} else if err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// form reads the form that begins here.
func (r *Reader) form(depth int) (Value, error) {
	v := Value{Line: r.line}
	if depth > maxDepth {
		return v, r.tooDeep()
	}
	if r.at == len(r.data) {
		return v, &Error{r.line, io.ErrUnexpectedEOF}
	}
	switch c := r.data[r.at]; c {
	case '(':
		return r.items(v, List, 1, ')', depth)
	case '[':
		return r.items(v, Vector, 1, ']', depth)
	case '{':
		return r.items(v, Map, 1, '}', depth)
	case ')', ']', '}':
		return v, r.fault(v.Line, "%q closes nothing", string(c))
	case '"':
		return r.text(v)
	case '\\':
		return r.character(v)
	case '#':
		if strings.HasPrefix(r.data[r.at:], "#{") {
			return r.items(v, Set, 2, '}', depth)
		}
		return r.tagged(v, depth)
	}
	return r.word(v)
}

// tagged reads a tag and the form after it.
func (r *Reader) tagged(v Value, depth int) (Value, error) {
	r.at++
	tag := r.token()
	if first, _ := utf8.DecodeRuneInString(tag); !unicode.IsLetter(first) {
		return v, r.fault(v.Line, "#%s is no tag that is read here", tag)
	}
	if err := r.blank(depth); err != nil {
		return v, err
	}
	in, err := r.form(depth + 1)
	in.Tag, in.Line = tag, v.Line
	return in, err
}

// items reads up to a closing bracket.
func (r *Reader) items(v Value, kind Kind, open int, closing byte, depth int) (Value, error) {
	v.Kind = kind
	r.at += open
	for {
		if err := r.blank(depth + 1); err != nil {
			return v, err
		}
		if r.at == len(r.data) {
			return v, r.fault(v.Line, "%q is not closed", brackets[kind][0])
		}
		if r.data[r.at] == closing {
			r.at++
			return v, r.whole(&v)
		}
		item, err := r.form(depth + 1)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, item)
	}
}

// whole refuses a map whose last key has no value, and repeated keys or elements.
func (r *Reader) whole(v *Value) error {
	step := 1
	switch v.Kind {
	case List, Vector:
		return nil
	case Map:
		if step = 2; len(v.Items)%2 != 0 {
			return r.fault(v.Line, "%s has no value", v.Items[len(v.Items)-1])
		}
	}
	if len(v.Items) <= 32 { // the usual case: maps of a history
		for i := 0; i < len(v.Items); i += step {
			for j := 0; j < i; j += step {
				a, b := &v.Items[i], &v.Items[j]
				if a.Equal(b) {
					return r.fault(a.Line, "%s stands twice", a)
				}
			}
		}
		return nil
	}
	seen := make(map[string]bool, len(v.Items))
	for i := 0; i < len(v.Items); i += step {
		key := v.Items[i].Canonical()
		if seen[key] {
			return r.fault(v.Items[i].Line, "%s stands twice", &v.Items[i])
		}
		seen[key] = true
	}
	return nil
}

// token reads up to the next character that ends a word.
func (r *Reader) token() string {
	from := r.at
	for r.at < len(r.data) && !strings.ContainsRune(" \t\r\n\f,;\"()[]{}\\", rune(r.data[r.at])) {
		r.at++
	}
	return r.data[from:r.at]
}

// word reads a number, a keyword, a symbol, nil, true or false.
func (r *Reader) word(v Value) (Value, error) {
	w := r.token()
	v.Text = w
	switch {
	case !utf8.ValidString(w):
		return v, r.fault(v.Line, "%q is not UTF-8", w)
	case w == "nil":
		v.Kind, v.Text = Nil, ""
	case w == "true" || w == "false":
		v.Kind = Bool
	case w[0] == ':':
		if v.Kind, v.Text = Keyword, w[1:]; w == ":" || w[1] == ':' {
			return v, r.fault(v.Line, "%s is no keyword", w)
		}
	case w[0] >= '0' && w[0] <= '9' || len(w) > 1 && (w[0] == '-' || w[0] == '+') && w[1] >= '0' && w[1] <= '9':
		v.Kind = Number
		if v.Text = number(w); v.Text == "" {
			return v, r.fault(v.Line, "%s is no number", w)
		}
	default:
		v.Kind = Symbol
	}
	return v, nil
}
