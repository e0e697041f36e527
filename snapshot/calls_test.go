package snapshot_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// TestCalls pins the order of the calls that publish and remove. Each command
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
	s    *snapshot.Store
	out  strings.Builder
	fail vfs.Op // fails once
}

func (s *script) record(c vfs.Call) vfs.Fault {
	fmt.Fprintf(&s.out, "%s %s", c.Op, short(c.Name))
	switch c.Op {
	case vfs.OpReadAt, vfs.OpWriteAt:
		fmt.Fprintf(&s.out, " %d bytes at %d", c.N, c.Off)
	case vfs.OpRename:
		fmt.Fprintf(&s.out, " to %s", short(c.To))
	}
	s.out.WriteString("\n")
	if c.Op == s.fail {
		s.fail = 0
		return vfs.Fault{Err: vfs.ErrIO, Drop: true}
	}
	return vfs.Fault{}
}

// short leaves the zeros out.
func short(name string) string {
	name = strings.TrimPrefix(name, dir+"/")
	if t := strings.TrimLeft(name, "0"); len(t) < len(name) {
		return "0" + t
	}
	return name
}

func (s *script) run(t *testing.T, d *datadriven.TestData) (err error) {
	var slot uint64
	var size int
	d.MaybeScanArgs(t, "slot", &slot)
	d.MaybeScanArgs(t, "size", &size)
	switch d.Cmd {
	case "open":
		var r snapshot.Report
		s.s, r, err = snapshot.Open(s.m, dir, snapshot.Options{ChunkSize: 100})
		fmt.Fprintf(&s.out, "%d good, %d bad, %d removed\n", len(r.Good), len(r.Bad), len(r.Removed))
	case "write":
		_, err = s.s.Write(newDoc(slot, 1, size).h, newDoc(slot, 1, size).writeTo)
	case "install":
		err = (&twin{}).install(s.s, newDoc(slot, 1, size), 1000)
	case "load":
		err = s.s.Load(newDoc(slot, 1, 0).h, func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err })
	case "serve":
		var off int64
		d.ScanArgs(t, "off", &off)
		last, _ := s.s.Latest()
		_, err = s.s.ReadChunk(last, off, size)
	case "prune":
		_, err = s.s.Prune()
	case "latest":
		last, _ := s.s.Latest()
		fmt.Fprintf(&s.out, "slot %d\n", last.Handle.Slot)
	case "close":
		err = s.s.Close()
	case "fail":
		var op string
		d.ScanArgs(t, "op", &op)
		for s.fail = 1; s.fail.String() != op; s.fail++ {
		}
	case "kill":
		s.m.Kill()
	default:
		err = fmt.Errorf("no command %s", d.Cmd)
	}
	return err
}

func TestDump(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	s := w.open(t, m, snapshot.Options{ChunkSize: 100})
	if err := w.write(s, newDoc(5, 1, 250)); err != nil {
		t.Fatal(err)
	}
	datadriven.RunTest(t, "testdata/dump.txt", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd == "corrupt" {
			var at int64
			d.ScanArgs(t, "at", &at)
			if err := m.Corrupt(file(5), at, 0xff); err != nil {
				return err.Error()
			}
			return "ok\n"
		}
		var slot uint64
		d.ScanArgs(t, "slot", &slot)
		var out bytes.Buffer
		if err := snapshot.Dump(m, file(slot), &out); err != nil {
			fmt.Fprintf(&out, "error: %v\n", err)
		}
		return out.String()
	})
}
