package linearizability

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrFormat is wrapped by every *FormatError.
var ErrFormat = errors.New("malformed history file")

// FormatError says where a history file is wrong.
type FormatError struct {
	Line  int    // from 1
	Field string // "" if the line as a whole is wrong
	Err   error
}

// Error names line and field.
func (e *FormatError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %v", e.Line, e.Err)
	}
	return fmt.Sprintf("line %d: %s: %v", e.Line, e.Field, e.Err)
}

// Unwrap returns ErrFormat and the cause.
func (e *FormatError) Unwrap() []error { return []error{ErrFormat, e.Err} }

const (
	formatName    = "chubby-history"
	formatVersion = 1
	// DefaultMaxLine is the default of ReadOptions.MaxLine.
	DefaultMaxLine = 4 << 20
	// DefaultMaxOperations is the default limit on operations.
	DefaultMaxOperations = 20_000_000
)

// header is the optional first line.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Model   string `json:"model,omitempty"`
}

// line is one operation in the form of the file.
type line struct {
	ID         *int64          `json:"id,omitempty"`
	Client     *int64          `json:"client,omitempty"`
	Call       *int64          `json:"call,omitempty"`
	Return     *int64          `json:"return,omitempty"`
	CallTime   int64           `json:"call_ns,omitempty"`
	ReturnTime int64           `json:"return_ns,omitempty"`
	Slot       int64           `json:"slot,omitempty"`
	Index      int32           `json:"index,omitempty"`
	Outcome    string          `json:"outcome,omitempty"`
	Concurrent bool            `json:"concurrent,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
}

// WriteJSONL writes a history with its header line. Reading it back gives the
// same history.
func WriteJSONL[S, I, O any](w io.Writer, m *Model[S, I, O], h *History[I, O]) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(header{formatName, formatVersion, m.Name}); err != nil {
		return err
	}
	ops := h.Operations()
	for i := range ops {
		l, err := encode(&m.Codec, &ops[i])
		if err == nil {
			err = enc.Encode(l)
		}
		if err != nil {
			return fmt.Errorf("operation %d: %w", ops[i].ID, err)
		}
	}
	return out.Flush()
}

// encode returns one operation as a line.
func encode[I, O any](c *Codec[I, O], op *Operation[I, O]) (l line, err error) {
	l = line{
		ID: &op.ID, Client: &op.Client, Call: &op.Call, CallTime: op.CallTime, ReturnTime: op.ReturnTime,
		Slot: op.At.Slot, Index: op.At.Index, Outcome: op.Outcome.String(), Concurrent: op.Concurrent,
	}
	if op.Return != Never {
		l.Return = &op.Return
	}
	if c.EncodeInput != nil {
		l.Input, err = c.EncodeInput(op.Input)
	} else {
		l.Input, err = json.Marshal(op.Input)
	}
	if err != nil || op.Outcome != OutcomeOK && !op.WitnessOutput {
		return l, err
	}
	if c.EncodeOutput != nil {
		l.Output, err = c.EncodeOutput(op.Input, op.Output)
	} else {
		l.Output, err = json.Marshal(op.Output)
	}
	return l, err
}
