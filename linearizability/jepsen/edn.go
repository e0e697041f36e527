package jepsen

import (
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/chubbycell/chubby/linearizability/edn"
)

// kinds are the values of :type.
var kinds = []string{"invoke", "ok", "fail", "info"}

// ReadEDN reads a history. If it has more than most operations, it fails. Errors are *Error.
func ReadEDN(data string, most int) ([]Call, error) {
	r, b := edn.NewReader(data, 1), newBook(most)
	for {
		v, err := r.Next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			break
		} else if err != nil {
			return nil, inEDN(err)
		}
		all := []edn.Value{v}
		if v.Kind == edn.Vector || v.Kind == edn.List {
			all = v.Items
		}
		for i := range all {
			if err := b.addMap(&all[i]); err != nil {
				return nil, err
			}
		}
	}
	return b.finish()
}

// inEDN returns an error of package edn as an *Error of this package.
func inEDN(err error) error {
	var e *edn.Error
	if errors.As(err, &e) {
		return &Error{Line: e.Line, Err: e.Err}
	}
	return err
}

// addMap adds the event that a map describes. It skips events of processes that are not clients.
func (b *book) addMap(v *edn.Value) error {
	if v.Kind != edn.Map {
		return fault(v.Line, "", "%s where the map of an operation belongs", clip(v.String()))
	}
	process, ok := v.Get("process")
	if !ok {
		return fault(v.Line, ":process", "missing")
	}
	e := event{line: v.Line, index: -1}
	var err error
	if kind, _ := v.Get("type"); process.Kind == edn.Nil && kind.Kind == edn.Keyword && kind.Text == "info" {
		return nil // of no client; a call whose end it was would stay unknown anyway
	}
	if isClient, err := e.setProcess(&process); !isClient || err != nil {
		return err
	}
	if e.kind, err = word(v, "type"); err != nil {
		return err
	}
	if e.f, err = word(v, "f"); err != nil {
		return err
	}
	if !slices.Contains(kinds, e.kind) {
		return fault(v.Line, ":type", ":%s is not :invoke, :ok, :fail or :info", e.kind)
	}
	e.value, _ = v.Get("value")
	e.key, e.keyed = v.Get("key")
	e.keyed = e.keyed && e.key.Kind != edn.Nil
	_, e.failure = v.Get("error")
	if at, ok := v.Get("time"); ok && at.Kind == edn.Number {
		e.time, _ = strconv.ParseInt(at.Text, 10, 64)
	}
	if at, ok := v.Get("index"); ok && at.Kind == edn.Number {
		if index, err := strconv.ParseInt(at.Text, 10, 64); err == nil {
			e.index = index
		}
	}
	return b.add(&e)
}

// setProcess sets the process, and reports whether it is a client.
func (e *event) setProcess(v *edn.Value) (client bool, err error) {
	switch v.Kind {
	case edn.Keyword, edn.Symbol:
		return false, nil // such as :nemesis
	case edn.Number:
		if e.process, err = strconv.ParseInt(v.Text, 10, 64); err == nil {
			return true, nil
		}
	}
	return false, fault(e.line, ":process", "%s is no number of a process", clip(v.String()))
}

// word returns the value of a key of a map, which must be a keyword or a string.
func word(v *edn.Value, name string) (string, error) {
	w, ok := v.Get(name)
	switch {
	case !ok:
		return "", fault(v.Line, ":"+name, "missing")
	case w.Kind != edn.Keyword && w.Kind != edn.String:
		return "", fault(w.Line, ":"+name, "%s is no keyword", clip(w.String()))
	}
	return w.Text, nil
}

// clip shortens a text that an error quotes.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}
