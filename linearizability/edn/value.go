package edn

import (
	"slices"
	"strings"
)

// Kind is the kind of a form.
type Kind uint8

// The kinds.
const (
	Nil Kind = iota
	Bool
	Number
	String
	Keyword
	Symbol
	List
	Vector
	Map
	Set
	Character
)

// Value is one form.
type Value struct {
	Kind Kind
	// Text is a string's contents, a character, a number's digits (with the M of a decimal), true
	// or false, or the name of a keyword (without its colon) or symbol.
	Text string
	// Items are the elements of a list, vector or set. For a map, they are its keys, each followed by its value.
	Items []Value
	Tag   string // without its #; "": none
	Line  int    // line on which it begins, from 1
}

// Get returns the value of a keyword in a map; false: v is not a map, or has no such key.
func (v *Value) Get(keyword string) (Value, bool) {
	if v.Kind == Map {
		for i := 0; i < len(v.Items); i += 2 {
			if v.Items[i].Kind == Keyword && v.Items[i].Text == keyword {
				return v.Items[i+1], true
			}
		}
	}
	return Value{}, false
}

// String returns the form as EDN, without superfluous white space. The items of maps and sets are sorted as text. For
// comparisons, see Canonical.
func (v Value) String() string {
	var b strings.Builder
	v.write(&b, false)
	return b.String()
}

var brackets = map[Kind][2]string{List: {"(", ")"}, Vector: {"[", "]"}, Map: {"{", "}"}, Set: {"#{", "}"}}

// quoter escapes the contents of a string, so that it is on one line.
var quoter = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)

func (v *Value) write(b *strings.Builder, canonical bool) {
	if v.Tag != "" {
		b.WriteString("#" + v.Tag + " ")
	}
	switch v.Kind {
	case Nil:
		b.WriteString("nil")
	case String:
		b.WriteString(`"` + quoter.Replace(v.Text) + `"`)
	case Character:
		b.WriteString(`\` + nameOf(v.Text))
	case Keyword:
		b.WriteString(":" + v.Text)
	case List, Vector, Map, Set:
		kind := v.Kind
		if canonical && kind == List {
			kind = Vector
		}
		b.WriteString(brackets[kind][0])
		b.WriteString(strings.Join(v.parts(canonical), " "))
		b.WriteString(brackets[kind][1])
	case Number:
		if canonical {
			b.WriteString(canonicalNumber(v.Text))
			return
		}
		fallthrough
	default:
		b.WriteString(v.Text)
	}
}

// parts returns the items as text. For a map, each key and its value are one text.
func (v *Value) parts(canonical bool) []string {
	parts := make([]string, 0, len(v.Items))
	for i := range v.Items {
		var b strings.Builder
		v.Items[i].write(&b, canonical)
		if text := b.String(); v.Kind == Map && i%2 != 0 {
			parts[len(parts)-1] += " " + text
		} else {
			parts = append(parts, text)
		}
	}
	if v.Kind == Map || v.Kind == Set {
		slices.Sort(parts)
	}
	return parts
}
