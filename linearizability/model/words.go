package model

import (
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// Words are the words for the values of a small enumeration, by value; values
// without a word are none.
type Words[T ~uint8] []string

// word is the word for v, if there is one.
func (n Words[T]) word(v T) (string, bool) {
	if int(v) < len(n) && n[v] != "" {
		return n[v], true
	}
	return "", false
}

// Of is the word for v in reports.
func (n Words[T]) Of(v T) string {
	if word, ok := n.word(v); ok {
		return word
	}
	return fmt.Sprintf("value %d", v)
}

// value is what word stands for.
func (n Words[T]) value(word string) (T, bool) {
	for v, w := range n {
		if w == word && w != "" {
			return T(v), true
		}
	}
	return 0, false
}

// unknown is the error of an operation that is none of them.
func (n Words[T]) unknown(op string) error {
	var all []string
	for _, w := range n {
		if w != "" {
			all = append(all, w)
		}
	}
	return strictjson.Errorf("op", "there is no operation %q; there are %s", op, strings.Join(all, ", "))
}
