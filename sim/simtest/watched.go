package simtest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/page"
	"github.com/chubbycell/chubby/sim/runner"
)

// watched is one more run of a World's seed, whose trace was kept.
type watched struct {
	result     cell.Result
	seen       *page.Recorder
	properties []sim.Property // of its Scenario
}

// watch runs a part of a seed once more, and writes its trace for people to w.
func (x World) watch(test string, seed uint64, of part, w io.Writer) watched {
	out := watched{seen: page.NewRecorder()}
	of.seen = &out.properties
	out.result = x.run(seed, of, 0, io.MultiWriter(forPeople(test, seed, w, nil), out.seen))
	return out
}

// forPeople returns a writer for the trace of a seed. It writes to w a header, and the trace with faults in words; only
// selects its lines (nil: all).
func forPeople(test string, seed uint64, w io.Writer, only *moments.Filter) io.Writer {
	var t sim.Trace
	(&moments.Printer{W: w, Only: only}).WatchWorld(&t, fmt.Sprintf("seed %d of %s", seed, test))
	return t.W
}

// story returns what led to the break, in lines; "": nothing broke.
func (w *watched) story() string {
	if w.result.Breach == nil {
		return ""
	}
	return strings.Join(w.seen.StoryOfWorld(w.result.Breach).Lines, "\n")
}

// leaveRun writes the trace and the page of a part of a seed below the directory of -sim.out. It
// returns the run and the names of the files.
func (x World) leaveRun(s *suite, seed uint64, of part, traceName, pageName string) (w watched, trace, html string) {
	s.t.Helper()
	trace = s.write(seed, traceName, func(f io.Writer) error {
		w = x.watch(s.t.Name(), seed, of, f)
		return nil
	})
	r := &w.result
	html = s.write(seed, pageName, func(f io.Writer) error {
		return w.seen.WriteWorld(f, page.World{
			About: page.About{Verdict: runner.Verdict(r), Command: again(s.t.Name(), seed)}, Title: fmt.Sprintf("%s, seed %d", s.t.Name(), seed), Breach: r.Breach,
			Facts: []string{fmt.Sprintf("%d events", r.Events), fmt.Sprintf("%.3f s simulated", r.Simulated.Seconds()), "hash " + r.Hash},
		})
	})
	return w, trace, html
}

// leaveHistories writes the histories of a run into a directory: history.jsonl and history.html of its first Linearizable,
// and those of others in a directory with the ID of the property. without says why there is no picture.
func (w *watched) leaveHistories(dir string) (without string, err error) {
	without = "there is no history"
	first := true
	for _, p := range w.properties {
		h, ok := p.(historian)
		switch {
		case !ok:
		case first:
			first = false
			without, err = h.write(dir)
		default:
			below := filepath.Join(dir, filepath.Base(h.ID()))
			if err = os.MkdirAll(below, 0o755); err == nil {
				_, err = h.write(below)
			}
		}
		if err != nil {
			return "", err
		}
	}
	return without, nil
}

// write writes a file of a seed below the directory of -sim.out, and returns its name.
func (s *suite) write(seed uint64, name string, content func(io.Writer) error) string {
	s.t.Helper()
	file := filepath.Join(s.directoryOf(seed), name)
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	var f *os.File
	if err == nil {
		f, err = os.Create(file)
	}
	if err == nil {
		err = errors.Join(content(f), f.Close())
	}
	if err != nil {
		s.t.Fatalf("-sim.out: %v", err)
	}
	return file
}
