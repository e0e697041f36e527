package main

import (
	"encoding/json"
	"fmt"
)

// printf writes to stdout, where data goes; an error is this program's.
func (a *app) printf(format string, args ...any) error {
	if _, err := fmt.Fprintf(a.out, format, args...); err != nil {
		return internal(err)
	}
	return nil
}

// say writes a line to stderr, where messages about the work go.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.err, format+"\n", args...)
}

func (a *app) json(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return internal(err)
	}
	return nil
}
