package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Twice returns a FieldError about a field that one object of data has twice, at any depth; nil if there is none.
// encoding/json would silently use the last one. With fold, names of the outermost object are the same if they differ
// only in case, because encoding/json takes them for the same field of a struct. data must be one JSON value that was
// decoded without error.
func Twice(data []byte, fold bool) error {
	s := fieldScan{data: data}
	return s.value(fold)
}

// fieldScan walks through valid JSON.
type fieldScan struct {
	data []byte
	at   int
}

// next returns the next byte that is not white space, without consuming it; 0 at the end.
func (s *fieldScan) next() byte {
	for ; s.at < len(s.data); s.at++ {
		if c := s.data[s.at]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
	}
	return 0
}

// value scans one value.
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

// text scans a string and returns it with its quotes.
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

// plainName returns a name without quotes and escapes.
func plainName(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		var name string
		if json.Unmarshal(quoted, &name) == nil {
			return []byte(name)
		}
	}
	return bytes.Trim(quoted, `"`)
}

// spelling is for the error: it shows the second name if it differs from the first one in case.
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

// nameSet is the set of names of an object. It is fast for small objects.
type nameSet struct {
	few  [][]byte        // the first fewNames names; with fold, all
	many map[string]bool // the other names
}

const fewNames = 16

// add adds a name, or returns the same name that was added before.
func (n *nameSet) add(name []byte, fold bool) (first []byte, known bool) {
	for _, o := range n.few {
		if bytes.Equal(o, name) || fold && bytes.EqualFold(o, name) {
			return o, true
		}
	}
	if fold || len(n.few) < fewNames { // with fold, the fields are those of a struct, which has few
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
