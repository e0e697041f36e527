// Package strictjson is test support: JSON objects of history files, read without mercy and
// written in a fixed order of fields. Reading refuses unknown fields, fields that stand twice,
// and strings that encoding/json would change in silence; errors name the field.
//
// Reading order: field.go (errors, Decode), twice.go, text.go (strings), object.go (writing,
// and which fields belong to an object).
package strictjson
