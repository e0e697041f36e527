package wal_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

// TestCalls pins the order of the calls that make things durable. Each command
// prints the vfs calls it made; testdata/calls.txt says why they stand so.
func TestCalls(t *testing.T) {
	s := &script{m: vfs.NewMem(), out: vfstest.Recorder{Name: short}}
	s.m.SetFault(s.out.Record)
	datadriven.RunTest(t, "testdata/calls.txt", func(t *testing.T, d *datadriven.TestData) string {
		return s.out.Take(s.run(t, d))
	})
}

type script struct {
	m   *vfs.Mem
	l   *wal.Log
	reg *wal.Register
	out vfstest.Recorder
}

func short(name string) string { return strings.TrimPrefix(name, dir+"/") }

func (s *script) run(t *testing.T, d *datadriven.TestData) (err error) {
	switch d.Cmd {
	case "open":
		var r wal.Recovery
		s.l, r, err = wal.Open(s.m, dir, wal.Options{SegmentSize: 150})
		if err == nil {
			fmt.Fprintf(&s.out.Out, "%d entries, next #%d, torn %v\n", len(r.Entries), r.Next, r.Torn != nil)
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
	case "ahead":
		fmt.Fprintf(&s.out.Out, "wanted %v\n", s.l.WantsAhead())
		err = s.l.MakeAhead()
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
		s.out.FailNext(op)
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
