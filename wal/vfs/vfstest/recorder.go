package vfstest

import (
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Recorder writes down the calls that a vfs.Mem gets, one a line, for golden
// files that pin the order in which things become durable. Give its Record to
// vfs.Mem.SetFault. One caller at a time.
type Recorder struct {
	Out  strings.Builder          // the lines so far; Reset it between commands
	Name func(path string) string // shortens a path; nil: as it is
	fail vfs.Op                   // fails once; 0: nothing does
}

// FailNext makes the next call of the kind that prints as op fail, as an input or
// output error that may lose what was not synced. An unknown name panics.
func (r *Recorder) FailNext(op string) {
	for r.fail = 1; r.fail.String() != op; r.fail++ {
		if r.fail > 64 {
			panic("vfstest: no call of a file system prints as " + op)
		}
	}
}

// Record writes c down and returns its failure, if FailNext asked for one.
func (r *Recorder) Record(c vfs.Call) vfs.Fault {
	fmt.Fprintf(&r.Out, "%s %s", c.Op, r.name(c.Name))
	switch c.Op {
	case vfs.OpReadAt, vfs.OpWriteAt:
		fmt.Fprintf(&r.Out, " %d bytes at %d", c.N, c.Off)
	case vfs.OpPreallocate, vfs.OpTruncate:
		fmt.Fprintf(&r.Out, " to %d", c.Off)
	case vfs.OpRename:
		fmt.Fprintf(&r.Out, " to %s", r.name(c.To))
	}
	r.Out.WriteString("\n")
	if c.Op != r.fail {
		return vfs.Fault{}
	}
	r.fail = 0
	return vfs.Fault{Err: vfs.ErrIO, Drop: true}
}

// Take returns the lines and the error, if there is one, of one command and
// begins anew.
func (r *Recorder) Take(err error) string {
	if err != nil {
		fmt.Fprintf(&r.Out, "error: %v\n", err)
	}
	out := r.Out.String()
	r.Out.Reset()
	if out == "" {
		return "no calls\n"
	}
	return out
}

func (r *Recorder) name(path string) string {
	if r.Name == nil {
		return path
	}
	return r.Name(path)
}
