package model

import "fmt"

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
