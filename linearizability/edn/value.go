package edn

import (
	"slices"
	"strings"
)

// Kind is what a Value is.
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
	// Items are the elements of a list, vector or set; of a map, its keys, each with its value
	// behind it.
	Items []Value
	Tag   string // without its #; "": none
	Line  int    // where it begins, from 1
}

// Get is the value of a keyword in a map.
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

// String writes the form, as short as it goes. What has no order, in maps and sets, is sorted as
// text. Canonical says whether two forms are equal.
func (v Value) String() string {
	var b strings.Builder
	v.write(&b, false)
	return b.String()
}

var brackets = map[Kind][2]string{List: {"(", ")"}, Vector: {"[", "]"}, Map: {"{", "}"}, Set: {"#{", "}"}}

// quoter writes what stands in a string: all on one line.
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

// parts are the items as text; of a map, each key with its value.
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
