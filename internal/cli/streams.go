package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Streams are where a program reads and prints. Data goes to Out, words about the work
// go to Err.
type Streams struct {
	Name     string // of the program, before what it warns of
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // Err is one
}

// StreamsOf are those of a command that runs.
func StreamsOf(c *cobra.Command) Streams {
	s := Streams{Name: c.Root().Name(), In: c.InOrStdin(), Out: c.OutOrStdout(), Err: c.ErrOrStderr()}
	f, ok := s.Err.(*os.File)
	s.Terminal = ok && term.IsTerminal(int(f.Fd()))
	return s
}

// Printf writes to stdout; an error is the program's.
func (s *Streams) Printf(format string, args ...any) error {
	if _, err := fmt.Fprintf(s.Out, format, args...); err != nil {
		return Internal(err)
	}
	return nil
}

// Say writes a line to stderr.
func (s *Streams) Say(format string, args ...any) {
	fmt.Fprintf(s.Err, format+"\n", args...)
}

// Warn writes a line to stderr that begins with the program's name.
func (s *Streams) Warn(format string, args ...any) {
	s.Say(s.Name+": "+format, args...)
}

// Document writes v, a struct, to stdout as JSON, with the name of its schema (docs/schema) as
// the first field.
func (s *Streams) Document(schema string, v any) error {
	text, err := document(schema, v)
	if err != nil {
		return Internal(err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return Internal(err)
	}
	if _, err := out.WriteTo(s.Out); err != nil {
		return Internal(err)
	}
	return nil
}

// Line is Document in one line: one of several documents, or one for which a reader waits
// while the command runs on.
func (s *Streams) Line(schema string, v any) error {
	text, err := document(schema, v)
	if err == nil {
		_, err = s.Out.Write(text)
	}
	if err != nil {
		return Internal(err)
	}
	return nil
}

// document is v as one line of JSON that begins with the name of its schema.
func document(schema string, v any) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"schema":%q,`, schema)
	head := b.Len()
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	body := b.Bytes()[head:]
	if !bytes.HasPrefix(body, []byte(`{"`)) {
		return nil, fmt.Errorf("%T is no document", v)
	}
	return append(b.Bytes()[:head:head], body[1:]...), nil
}
