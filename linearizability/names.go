package linearizability

import "fmt"

// names are the words for the values of a small enumeration, by value; values
// without a word are none.
type names[T ~uint8] []string

// word is the word for v, if there is one.
func (n names[T]) word(v T) (string, bool) {
	if int(v) < len(n) && n[v] != "" {
		return n[v], true
	}
	return "", false
}

// of is the word for v in reports.
func (n names[T]) of(v T) string {
	if word, ok := n.word(v); ok {
		return word
	}
	return fmt.Sprintf("value %d", v)
}

// value is what word stands for.
func (n names[T]) value(word string) (T, bool) {
	for v, w := range n {
		if w == word && w != "" {
			return T(v), true
		}
	}
	return 0, false
}
