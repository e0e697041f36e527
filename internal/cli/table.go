package cli

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Table writes rows until an error, which it keeps.
type Table struct {
	w   io.Writer
	err error
}

// NewTable writes rows as they are.
func NewTable(w io.Writer) *Table { return &Table{w: w} }

// NewColumns writes rows whose cells, between tabs, stand one below the other.
func NewColumns(w io.Writer) *Table {
	return &Table{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
}

// NewNumbers is NewColumns with all cells at the right of their columns.
func NewNumbers(w io.Writer) *Table {
	return &Table{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
}

// Row writes a piece of a row, or more than one.
func (t *Table) Row(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// End writes what was held back. Its error, or the first one of a row, is the program's.
func (t *Table) End() error {
	if columns, ok := t.w.(*tabwriter.Writer); ok && t.err == nil {
		t.err = columns.Flush()
	}
	if t.err != nil {
		return Internal(t.err)
	}
	return nil
}
