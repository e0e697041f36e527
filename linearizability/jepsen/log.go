package jepsen

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/linearizability/edn"
)

// LogMark is in every line of a log that describes an operation.
const LogMark = "jepsen.util"

// ReadLog reads the operations in a log. If there are more than most, it fails. Errors are *Error.
func ReadLog(data string, most int) ([]Call, error) {
	b, number := newBook(most), 0
	for line := range strings.Lines(data) {
		number++
		if _, told, ok := strings.Cut(line, LogMark); ok {
			told = strings.TrimPrefix(told, ":") // which newer versions put there; a later one is of a keyword
			if err := b.addLine(strings.TrimLeft(told, " -\t"), number); err != nil {
				return nil, err
			}
		}
	}
	return b.finish()
}

// addLine adds the event that a line describes: process, type, f, value, and perhaps an error.
func (b *book) addLine(told string, number int) error {
	r, e := edn.NewReader(told, number), event{line: number, index: -1}
	next := func(name string) (edn.Value, error) {
		v, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return v, fault(number, name, "missing")
		case err != nil:
			return v, inEDN(err)
		}
		return v, nil
	}
	process, err := next("process")
	if err != nil {
		return err
	}
	if isClient, err := e.setProcess(&process); !isClient || err != nil {
		return err
	}
	for _, to := range []struct {
		name string
		text *string
	}{{"type", &e.kind}, {"f", &e.f}} {
		v, err := next(to.name)
		if err != nil {
			return err
		}
		if v.Kind != edn.Keyword {
			return fault(number, to.name, "%s is no keyword", clip(v.String()))
		}
		*to.text = v.Text
	}
	if !slices.Contains(kinds, e.kind) {
		return fault(number, "type", ":%s is not :invoke, :ok, :fail or :info", e.kind)
	}
	if e.value, err = next("value"); err != nil {
		return err
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		e.failure = true // anything after the value is an error of the operation
	}
	return b.add(&e)
}
