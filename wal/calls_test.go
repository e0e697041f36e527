package wal_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// TestCalls pins the order of the calls that make things durable. Each command
// prints the vfs calls it made; testdata/calls.txt says why they stand so.
func TestCalls(t *testing.T) {
	s := &script{m: vfs.NewMem()}
	s.m.SetFault(s.record)
	datadriven.RunTest(t, "testdata/calls.txt", func(t *testing.T, d *datadriven.TestData) string {
		s.out.Reset()
		if err := s.run(t, d); err != nil {
			fmt.Fprintf(&s.out, "error: %v\n", err)
		}
		if s.out.Len() == 0 {
			return "no calls\n"
		}
		return s.out.String()
	})
}

type script struct {
	m    *vfs.Mem
	l    *wal.Log
	reg  *wal.Register
	out  strings.Builder
	fail vfs.Op // fails once
}

func (s *script) record(c vfs.Call) vfs.Fault {
	fmt.Fprintf(&s.out, "%s %s", c.Op, strings.TrimPrefix(c.Name, dir+"/"))
	switch c.Op {
	case vfs.OpReadAt, vfs.OpWriteAt:
		fmt.Fprintf(&s.out, " %d bytes at %d", c.N, c.Off)
	case vfs.OpPreallocate, vfs.OpTruncate:
		fmt.Fprintf(&s.out, " to %d", c.Off)
	}
	s.out.WriteString("\n")
	if c.Op == s.fail {
		s.fail = 0
		return vfs.Fault{Err: vfs.ErrIO, Drop: true}
	}
	return vfs.Fault{}
}

func (s *script) run(t *testing.T, d *datadriven.TestData) (err error) {
	switch d.Cmd {
	case "open":
		var r wal.Recovery
		s.l, r, err = wal.Open(s.m, dir, wal.Options{SegmentSize: 150})
		if err == nil {
			fmt.Fprintf(&s.out, "%d entries, next #%d, torn %v\n", len(r.Entries), r.Next, r.Torn != nil)
		}
	case "append":
		var n, size int
		d.ScanArgs(t, "n", &n)
		d.ScanArgs(t, "size", &size)
		var es []wal.Entry
		for i := range n {
			es = append(es, wal.Entry{LSN: s.l.Next() + wal.LSN(i), Kind: 1, Data: strings.Repeat("x", size)})
		}
		err = s.l.Append(es...)
	case "sync":
		err = s.l.Sync()
	case "idle":
		err = s.l.Idle()
	case "drop":
		var before uint64
		d.ScanArgs(t, "before", &before)
		err = s.l.DropBefore(wal.LSN(before))
	case "close":
		err = s.l.Close()
	case "fail":
		var op string
		d.ScanArgs(t, "op", &op)
		for s.fail = 1; s.fail.String() != op; s.fail++ {
		}
	case "crash":
		s.m.Crash(vfs.KeepAll)
	case "open-register":
		s.reg, _, err = wal.OpenRegister(s.m, dir, "promise")
	case "write-register":
		err = s.reg.Write([]byte("value"))
	default:
		err = fmt.Errorf("no command %s", d.Cmd)
	}
	return err
}

func TestDump(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	o := wal.Options{SegmentSize: 300, Salt: salts(7)}
	l := w.open(t, m, o)
	for range 6 {
		_ = w.append(l, 1, 40, 0)
		_ = w.sync(l)
	}
	_ = l.Idle()
	_ = w.append(l, 1, 40, 0)
	datadriven.RunTest(t, "testdata/dump.txt", func(t *testing.T, d *datadriven.TestData) string {
		var name string
		d.ScanArgs(t, "name", &name)
		if d.Cmd == "corrupt" {
			var at int64
			d.ScanArgs(t, "at", &at)
			if err := m.Corrupt(name, at, 0xff); err != nil {
				return err.Error()
			}
			return "ok\n"
		}
		var out bytes.Buffer
		if err := wal.Dump(m, name, &out); err != nil {
			fmt.Fprintf(&out, "error: %v\n", err)
		}
		return out.String()
	})
}
