package linearizability

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chubbycell/chubby/linearizability/history"
	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// ReadOptions bound the input of ReadJSONL. Zero values stand for the defaults.
type ReadOptions struct {
	MaxLine       int // bytes, without the line end
	MaxOperations int
}

// ReadJSONL reads a history file line by line; the package documentation describes the format.
// Errors are *FormatError if a line is wrong, wrap ErrMalformed and name the lines if these do not form
// a history, or come from r.
func ReadJSONL[S, I, O any](r io.Reader, m *Model[S, I, O], o ReadOptions) (*History[I, O], error) {
	if o.MaxLine <= 0 {
		o.MaxLine = DefaultMaxLine
	}
	if o.MaxOperations <= 0 {
		o.MaxOperations = DefaultMaxOperations
	}
	rd := reader[S, I, O]{model: m, options: o}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, min(64<<10, o.MaxLine)), o.MaxLine+1) // one for the line end
	for lines.Scan() {
		rd.number++
		if err := rd.read(lines.Bytes()); err != nil {
			return nil, rd.fault(err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		rd.number++
		return nil, rd.fault(fmt.Errorf("longer than %d bytes", o.MaxLine))
	} else if err != nil {
		return nil, fmt.Errorf("after line %d: %w", rd.number, err)
	}
	h, err := NewHistory(rd.ops)
	if err != nil {
		return nil, rd.locate(err)
	}
	return h, nil
}

type reader[S, I, O any] struct {
	model   *Model[S, I, O]
	options ReadOptions
	number  int // of the line
	begun   bool
	ops     []Operation[I, O]
	places  []place // of ops, which NewHistory sorts
}

// place says where an operation is in the file.
type place struct {
	id   int64
	line int
}

// locate puts the lines of the operations at fault before an error of NewHistory.
func (rd *reader[S, I, O]) locate(err error) error {
	var f *history.Fault
	if !errors.As(err, &f) {
		return err
	}
	var lines []string
	for _, p := range rd.places {
		if slices.Contains(f.IDs, p.id) {
			lines = append(lines, strconv.Itoa(p.line))
		}
	}
	if len(lines) == 1 {
		return fmt.Errorf("line %s: %w", lines[0], err)
	}
	return fmt.Errorf("lines %s: %w", strings.Join(lines, " and "), err)
}

func (rd *reader[S, I, O]) fault(err error) error {
	var f *strictjson.FieldError
	if errors.As(err, &f) {
		return &FormatError{Line: rd.number, Field: f.Field, Err: f.Err}
	}
	return &FormatError{Line: rd.number, Err: err}
}

func (rd *reader[S, I, O]) read(data []byte) error {
	if rd.number == 1 {
		if err := mark(data); err != nil {
			return err
		}
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil
	}
	if !utf8.Valid(data) {
		return errors.New("not UTF-8 (write such strings as {\"base64\":...})")
	}
	first := !rd.begun
	rd.begun = true
	if bytes.Contains(data, []byte(`"format"`)) {
		if h, ok := asHeader(data); ok {
			if err := strictjson.Twice(data, true); err != nil {
				return err
			}
			return rd.header(h, first)
		}
	}
	var l line
	if err := strictjson.Decode(data, &l); errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the line ends within the object: was the end of the file lost, or is the object on several lines?")
	} else if err != nil {
		return err
	}
	if len(rd.ops) == rd.options.MaxOperations {
		return fmt.Errorf("more than %d operations", rd.options.MaxOperations)
	}
	op, err := rd.operation(&l)
	rd.ops, rd.places = append(rd.ops, op), append(rd.places, place{op.ID, rd.number})
	return err
}

// mark refuses a byte order mark, which some editors write at the start of a file.
func mark(data []byte) error {
	switch {
	case bytes.HasPrefix(data, []byte{0xef, 0xbb, 0xbf}):
		return errors.New("begins with a byte order mark (the bytes EF BB BF); write UTF-8 without one")
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return errors.New("begins with the byte order mark of UTF-16; write UTF-8 without one")
	}
	return nil
}

func asHeader(data []byte) (h header, ok bool) {
	err := json.Unmarshal(data, &h)
	return h, err == nil && h.Format != ""
}

func (rd *reader[S, I, O]) header(h header, first bool) error {
	switch {
	case !first:
		return strictjson.Errorf("format", "the header is the first line or none")
	case h.Format != formatName:
		return strictjson.Errorf("format", "%q is not %q", h.Format, formatName)
	case h.Version != formatVersion:
		return strictjson.Errorf("version", "%d is unknown; this program reads %d", h.Version, formatVersion)
	case h.Model != "" && h.Model != rd.model.Name:
		return strictjson.Errorf("model", "the file is for model %q, not %q", h.Model, rd.model.Name)
	}
	return nil
}

// operation checks and converts one line.
func (rd *reader[S, I, O]) operation(l *line) (op Operation[I, O], err error) {
	op = Operation[I, O]{
		ID: int64(len(rd.ops)), Return: Never, CallTime: l.CallTime, ReturnTime: l.ReturnTime,
		At: Position{Slot: l.Slot, Index: l.Index}, Concurrent: l.Concurrent,
	}
	if l.ID != nil {
		op.ID = *l.ID
	}
	if op.Outcome, err = l.outcome(); err != nil {
		return op, err
	}
	switch {
	case l.Client == nil:
		return op, strictjson.Errorf("client", "missing")
	case l.Call == nil:
		return op, strictjson.Errorf("call", "missing")
	case *l.Call < 0:
		return op, strictjson.Errorf("call", "%d is negative", *l.Call)
	case l.Return != nil && (*l.Return <= *l.Call || *l.Return == Never):
		return op, strictjson.Errorf("return", "%d is not after the call at %d, or too large", *l.Return, *l.Call)
	case !op.At.IsZero() && (l.Slot < 1 || l.Index < 0):
		return op, strictjson.Errorf("slot", "position %d.%d: slots start at 1, indexes at 0", l.Slot, l.Index)
	case len(l.Input) == 0:
		return op, strictjson.Errorf("input", "missing")
	case op.Outcome == OutcomeUnknown && len(l.Output) > 0 && op.At.IsZero():
		return op, strictjson.Errorf("output", "an operation with outcome unknown has none, but what a witness tells: it has no slot")
	case op.Outcome == OutcomeFailed && len(l.Output) > 0:
		return op, strictjson.Errorf("output", "an operation with outcome failed has none")
	}
	op.WitnessOutput = op.Outcome == OutcomeUnknown && len(l.Output) > 0
	op.Client, op.Call = *l.Client, *l.Call
	if l.Return != nil {
		op.Return = *l.Return
	}
	return op, rd.decode(&op, l)
}

// outcome returns the outcome that the line gives, or the default, which depends on whether it has
// a return.
func (l *line) outcome() (Outcome, error) {
	switch {
	case l.Outcome == "" && l.Return != nil:
		return OutcomeOK, nil
	case l.Outcome == "":
		return OutcomeUnknown, nil
	}
	for o := OutcomeOK; o <= OutcomeUnknown; o++ {
		if l.Outcome != o.String() {
			continue
		}
		if o == OutcomeUnknown && l.Return != nil {
			return 0, strictjson.Errorf("return", "an operation with unknown outcome has none: it may take effect at any later time")
		}
		if o != OutcomeUnknown && l.Return == nil {
			return 0, strictjson.Errorf("return", "missing for outcome %s", o)
		}
		return o, nil
	}
	return 0, strictjson.Errorf("outcome", "%q is not ok, failed or unknown", l.Outcome)
}

func (rd *reader[S, I, O]) decode(op *Operation[I, O], l *line) (err error) {
	c := &rd.model.Codec
	if c.DecodeInput != nil {
		op.Input, err = c.DecodeInput(l.Input)
	} else {
		err = strictjson.Decode(l.Input, &op.Input)
	}
	if err == nil && rd.model.Validate != nil {
		err = rd.model.Validate(op.Input)
	}
	if err != nil && strings.Contains(err.Error(), "unknown field") {
		err = fmt.Errorf("%w: is the history for another model than %s?", err, rd.model.Name)
	}
	if err != nil {
		return strictjson.Below("input", err)
	}
	if op.Outcome != OutcomeOK && !op.WitnessOutput {
		return nil
	}
	if c.DecodeOutput != nil {
		op.Output, err = c.DecodeOutput(op.Input, l.Output)
	} else if len(l.Output) == 0 {
		err = errors.New("missing")
	} else {
		err = strictjson.Decode(l.Output, &op.Output)
	}
	if err != nil {
		return strictjson.Below("output", err)
	}
	return nil
}
