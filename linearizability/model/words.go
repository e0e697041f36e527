package model

import (
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// Words are the words for the values of a small enumeration, by value. A value without a word is not in the enumeration.
type Words[T ~uint8] []string

// word returns the word for v; false if there is none.
func (n Words[T]) word(v T) (string, bool) {
	if int(v) < len(n) && n[v] != "" {
		return n[v], true
	}
	return "", false
}

// Of returns the word for v, or its number, for reports.
func (n Words[T]) Of(v T) string {
	if word, ok := n.word(v); ok {
		return word
	}
	return fmt.Sprintf("value %d", v)
}

// value returns the value that word stands for.
func (n Words[T]) value(word string) (T, bool) {
	for v, w := range n {
		if w == word && w != "" {
			return T(v), true
		}
	}
	return 0, false
}

// unknown returns the error about an operation that is not in the enumeration.
func (n Words[T]) unknown(op string) error {
	var all []string
	for _, w := range n {
		if w != "" {
			all = append(all, w)
		}
	}
	return strictjson.Errorf("op", "there is no operation %q; there are %s", op, strings.Join(all, ", "))
}
