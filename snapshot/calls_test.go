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
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

// TestCalls pins the order of the calls that publish and remove. Each command
// prints the vfs calls it made; testdata/calls.txt gives the reasons for their order.
func TestCalls(t *testing.T) {
	s := &script{m: vfs.NewMem(), out: vfstest.Recorder{Name: short}}
	s.m.SetFault(s.out.Record)
	datadriven.RunTest(t, "testdata/calls.txt", func(t *testing.T, d *datadriven.TestData) string {
		return s.out.Take(s.run(t, d))
	})
}

type script struct {
	m   *vfs.Mem
	s   *snapshot.Store
	out vfstest.Recorder
}

// short removes leading zeros.
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
		fmt.Fprintf(&s.out.Out, "%d good, %d bad, %d removed\n", len(r.Good), len(r.Bad), len(r.Removed))
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
		fmt.Fprintf(&s.out.Out, "slot %d\n", last.Handle.Slot)
	case "close":
		err = s.s.Close()
	case "fail":
		var op string
		d.ScanArgs(t, "op", &op)
		s.out.FailNext(op)
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
