package model

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// formMark is the prefix of a value that is not a string. It is not UTF-8, so no UTF-8 string has it.
const formMark = "\xffform "

// Form returns the value that a text of some notation stands for, such as 1, :a or [1 2]. It differs from every UTF-8
// string, including the string with the same characters, and is shown without quotes. Two forms are the same value
// exactly if their texts are equal.
func Form(text string) string { return formMark + text }

// formText returns the text of a form; ok is false if the value is a string.
func formText(value string) (text string, ok bool) {
	text, ok = strings.CutPrefix(value, formMark)
	return text, ok && utf8.ValidString(text)
}

// shown returns a value for people: a string in quotes, a form as its text.
func shown(value string) string {
	if text, ok := formText(value); ok {
		return text
	}
	return fmt.Sprintf("%q", value)
}

// plain returns a value without quotes, for names. Different values may have the same name.
func plain(value string) string {
	if text, ok := formText(value); ok {
		return text
	}
	return value
}
