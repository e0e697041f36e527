package model

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// formMark begins a value that is no string. It is not UTF-8, so no string has it.
const formMark = "\xffform "

// Form is the value that a text of some notation stands for, such as 1, :a or [1 2]: it differs
// from every string, also from that of the same characters, and is shown without quotes. Two
// forms are the same value exactly if their texts are.
func Form(text string) string { return formMark + text }

// formText is the text of a form; ok is false if the value is a string.
func formText(value string) (text string, ok bool) {
	text, ok = strings.CutPrefix(value, formMark)
	return text, ok && utf8.ValidString(text)
}

// shown is a value for people: a string in quotes, a form as its text.
func shown(value string) string {
	if text, ok := formText(value); ok {
		return text
	}
	return fmt.Sprintf("%q", value)
}

// plain is a value in a name: without quotes. Several values may have one name.
func plain(value string) string {
	if text, ok := formText(value); ok {
		return text
	}
	return value
}
