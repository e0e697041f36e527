package linearizability

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/chubbycell/chubby/linearizability/jepsen"
)

// Format is the format of a history file.
type Format string

// The formats. FormatAuto detects the format from the beginning of the file.
const (
	FormatAuto  Format = ""
	FormatJSONL Format = "jsonl" // see the package documentation
	FormatEDN   Format = "edn"   // of Jepsen and Porcupine; package jepsen describes both
	FormatLog   Format = "log"   // of Jepsen
)

// Formats returns the names of the formats, in order.
func Formats() []string { return []string{"edn", "jsonl", "log"} }

// detected returns the format of a file with this beginning; "": none. It takes a file that is not
// UTF-8 for jsonl.
func detected(begin []byte) Format {
	text := bytes.TrimLeft(begin, " \t\r\n,")
	switch {
	case len(text) == 0:
		return FormatJSONL
	case text[0] == '{':
		if inside := bytes.TrimLeft(text[1:], " \t\r\n,"); len(inside) > 0 && inside[0] == ':' {
			return FormatEDN
		}
		return FormatJSONL
	case bytes.IndexByte([]byte("[(#;"), text[0]) >= 0:
		return FormatEDN
	case bytes.Contains(begin, []byte(jepsen.LogMark)):
		return FormatLog
	case text[0] < utf8.RuneSelf:
		return ""
	}
	return FormatJSONL
}

// compressed returns the program that reads a file with this beginning; "": it is not known to be
// compressed.
func compressed(begin []byte) string {
	for mark, by := range map[string]string{"\x1f\x8b": "zcat", "\x28\xb5\x2f\xfd": "zstdcat", "BZh": "bzcat", "\xfd7zXZ": "xzcat"} {
		if bytes.HasPrefix(begin, []byte(mark)) {
			return by
		}
	}
	return ""
}

// isArray reports whether a file with this beginning is a JSON array of objects. In EDN, keys of a
// map in a vector would be keywords.
func isArray(begin []byte) bool {
	const blank = " \t\r\n"
	text, array := bytes.CutPrefix(bytes.TrimLeft(begin, blank), []byte("["))
	text, object := bytes.CutPrefix(bytes.TrimLeft(text, blank), []byte("{"))
	return array && object && bytes.HasPrefix(bytes.TrimLeft(text, blank), []byte(`"`))
}

// translation translates a call of a foreign history for a model.
type translation[I, O any] func(c *jepsen.Call) (in I, out O, outcome Outcome, err error)

// read reads a history in any format. A nil translation means that only files in our own format
// have this model.
func read[S, I, O any](r io.Reader, m *Model[S, I, O], foreign translation[I, O], o Options) (*History[I, O], error) {
	in := bufio.NewReaderSize(r, 64<<10)
	begin, err := in.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("before line 1: %w", err)
	}
	if isArray(begin) {
		return nil, fmt.Errorf("%w: it is a JSON array, and the format jsonl has one object a line, without commas between them; jq -c '.[]' makes lines of an array", ErrFormat)
	}
	if by := compressed(begin); by != "" {
		return nil, fmt.Errorf("%w: it is compressed; %s FILE writes what is in it to stdout, and check reads that as -", ErrFormat, by)
	}
	format := o.Format
	if format == FormatAuto {
		if format = detected(begin); format == "" {
			return nil, fmt.Errorf("%w: it begins as no format does that is read: jsonl with {, edn with {: or [, and log has lines of %s; if it is one of them, name its format", ErrFormat, jepsen.LogMark)
		}
	}
	if format == FormatJSONL {
		return ReadJSONL(in, m, o.Read)
	}
	if foreign == nil {
		return nil, fmt.Errorf("%w: a history for model %s has the format jsonl, not %s", ErrFormat, m.Name, format)
	}
	if format == FormatEDN {
		if err := mark(begin); err != nil {
			return nil, &FormatError{Line: 1, Err: err}
		}
	}
	var data strings.Builder
	if _, err := io.Copy(&data, in); err != nil {
		return nil, err
	}
	calls, err := readCalls(data.String(), format, o.Read)
	if err != nil {
		return nil, foreignFault(err)
	}
	ops := make([]Operation[I, O], len(calls))
	for i := range calls {
		c := &calls[i]
		op := Operation[I, O]{ID: int64(i), Client: c.Process, Call: c.From, Return: c.To, CallTime: c.FromTime, ReturnTime: c.ToTime}
		if op.Input, op.Output, op.Outcome, err = foreign(c); err != nil {
			return nil, foreignFault(err)
		}
		ops[i] = op
	}
	return NewHistory(ops)
}

func readCalls(data string, format Format, o ReadOptions) ([]jepsen.Call, error) {
	if o.MaxOperations <= 0 {
		o.MaxOperations = DefaultMaxOperations
	}
	switch format {
	case FormatEDN:
		return jepsen.ReadEDN(data, o.MaxOperations)
	case FormatLog:
		return jepsen.ReadLog(data, o.MaxOperations)
	}
	return nil, fmt.Errorf("%w: there is no format %q", ErrFormat, format)
}

// foreignFault returns an error about a line as a *FormatError.
func foreignFault(err error) error {
	var e *jepsen.Error
	if errors.As(err, &e) {
		return &FormatError{Line: e.Line, Field: e.Field, Err: e.Err}
	}
	return err
}
