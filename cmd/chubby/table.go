package main

import (
	"fmt"
	"io"
)

// table writes rows until an error, which it keeps.
type table struct {
	w   io.Writer
	err error
}

func (t *table) row(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

func (t *table) items(title string, all []item) {
	t.row("%s\n", title)
	for _, i := range all {
		if i.Demanded {
			i.Name += " *"
		}
		t.row("  %s\t%s\n", i.Name, i.Help)
	}
}
