// Package strictjson is test support: it reads the JSON objects of history files strictly, and writes them with a fixed
// order of fields. Reading refuses unknown fields, repeated fields, and strings that encoding/json would silently
// change. Errors name the field.
//
// Reading order: field.go (errors, Decode), twice.go, text.go (strings), object.go (writing,
// and which fields belong to an object).
package strictjson
