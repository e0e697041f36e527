package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Twice finds a field that stands twice in one object of data, at any depth, and
// names it: encoding/json would take the last one and say nothing. Names of the
// outermost object are the same if encoding/json takes them for the same field of a
// struct (fold), others if they are equal. Data is one JSON value, which was decoded
// without error.
func Twice(data []byte, fold bool) error {
	s := fieldScan{data: data}
	return s.value(fold)
}

// fieldScan walks through valid JSON.
type fieldScan struct {
	data []byte
	at   int
}

// next is the next byte that is not white space; it is not consumed.
func (s *fieldScan) next() byte {
	for ; s.at < len(s.data); s.at++ {
		if c := s.data[s.at]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
	}
	return 0
}

// value walks over one value.
func (s *fieldScan) value(fold bool) error {
	switch s.next() {
	case '{':
		return s.object(fold)
	case '[':
		return s.array()
	case '"':
		s.text()
		return nil
	}
	for s.at < len(s.data) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(s.data[s.at])) {
		s.at++ // a number, or a word
	}
	return nil
}

func (s *fieldScan) array() error {
	for i := 0; ; i++ {
		s.at++ // the bracket, or a comma
		if s.next() == ']' {
			break
		}
		if err := s.value(false); err != nil {
			return beneath(fmt.Sprintf("[%d]", i), err)
		}
		if s.next() != ',' {
			break
		}
	}
	s.at++
	return nil
}

func (s *fieldScan) object(fold bool) error {
	var names nameSet
	for {
		s.at++ // the brace, or a comma
		if s.next() != '"' {
			break
		}
		name := plainName(s.text())
		if first, known := names.add(name, fold); known {
			return Errorf(string(first), "stands twice in one object%s", spelling(first, name))
		}
		s.next()
		s.at++ // the colon
		if err := s.value(false); err != nil {
			return beneath(string(name), err)
		}
		if s.next() != ',' {
			break
		}
	}
	s.at++
	return nil
}

// text walks over a string and returns it with its quotes.
func (s *fieldScan) text() []byte {
	from := s.at
	for s.at++; s.at < len(s.data) && s.data[s.at] != '"'; s.at++ {
		if s.data[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	return s.data[from:min(s.at, len(s.data))]
}

// plainName is the name that a quoted one stands for.
func plainName(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		var name string
		if json.Unmarshal(quoted, &name) == nil {
			return []byte(name)
		}
	}
	return bytes.Trim(quoted, `"`)
}

// spelling tells of a second name that is not spelled like the first one.
func spelling(first, second []byte) string {
	if bytes.Equal(first, second) {
		return ""
	}
	return fmt.Sprintf(", as %q too", second)
}

// beneath puts an error about a field under its parent's name.
func beneath(parent string, err error) error {
	if f, ok := err.(*FieldError); ok && strings.HasPrefix(f.Field, "[") {
		return &FieldError{parent + f.Field, f.Err}
	}
	return Below(parent, err)
}

// nameSet are the names of an object, as many as there may be.
type nameSet struct {
	few  [][]byte
	many map[string]bool // of the names, once they are no longer few
}

const fewNames = 16

// add adds a name, or returns the one that stands there already.
func (n *nameSet) add(name []byte, fold bool) (first []byte, known bool) {
	for _, o := range n.few {
		if bytes.Equal(o, name) || fold && bytes.EqualFold(o, name) {
			return o, true
		}
	}
	if fold || len(n.few) < fewNames { // a struct has not many fields
		n.few = append(n.few, name)
		return nil, false
	}
	if n.many[string(name)] {
		return name, true
	}
	if n.many == nil {
		n.many = map[string]bool{}
	}
	n.many[string(name)] = true
	return nil, false
}
