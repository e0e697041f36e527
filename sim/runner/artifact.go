package runner

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/page"
	"github.com/chubbycell/chubby/sim/plan"
)

// Files in the directory of a failing seed, beside the manifest.
const (
	TraceFile   = "trace.txt"     // every event, as text
	HistoryFile = "history.jsonl" // the clients' calls, for any checker
	PageFile    = "history.html"  // Porcupine's picture of these calls
	LocksFile   = "locks.jsonl"   // the history of locks, if there were any
	RunPageFile = "page.html"     // the run for a browser; see sim/page
)

// WriteArtifacts runs a seed once more and writes its trace, histories, page, manifest and, if something broke, story into a
// directory, which it makes if necessary. Those of an earlier run, and its case (see WriteCase), are
// removed first, and the manifest is written last, so a directory without one is incomplete. It
// returns the result of that run: the caller compares its hash with that of the run that failed. It
// blocks for as long as the run takes.
func WriteArtifacts(dir string, b Build, run Runner, o plan.Options) (cell.Result, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cell.Result{}, err
	}
	// The other files are always written. A case of an earlier run may be of another program, or of another breach.
	if err := RemoveArtifacts(dir); err != nil {
		return cell.Result{}, err
	}
	var r cell.Result
	recorder := page.NewRecorder()
	err := writeFile(dir, TraceFile, func(w io.Writer) error {
		watched := o
		(&moments.Printer{W: w}).Watch(&watched)
		recorder.Watch(&watched)
		r = Guard(run)(watched)
		return nil
	})
	if err != nil {
		return r, err
	}
	if err := writePage(filepath.Join(dir, RunPageFile), recorder, o, &r, page.About{}); err != nil {
		return r, err
	}
	if err := writeStory(dir, recorder, o, &r); err != nil {
		return r, err
	}
	m := NewManifest(b, o)
	if m.Plan, err = json.Marshal(plan.New(o)); err != nil {
		return r, err
	}
	m.Add(&r)
	m.Breach, m.Stack = r.Breach, r.Stack
	if err := writeHistory(dir, &r, &m); err != nil {
		return r, err
	}
	return r, m.Write(dir)
}

// writePage writes the page of a recorded run. If the simulator panicked, there is no page, and an
// older file is removed.
func writePage(file string, recorder *page.Recorder, o plan.Options, r *cell.Result, about page.About) error {
	if r.Internal {
		if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	dir, name := filepath.Split(file)
	about.Verdict = Verdict(r)
	return writeFile(dir, name, func(w io.Writer) error { return recorder.WritePage(w, o, r, about) })
}

// writeStory writes how the run came to break a property, if it did. The story of a case replaces it.
func writeStory(dir string, recorder *page.Recorder, o plan.Options, r *cell.Result) error {
	if r.Internal || r.Breach == nil {
		return nil
	}
	return writeFile(dir, StoryFile, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(recorder.StoryOf(o, r.Breach).Lines, "\n")+"\n")
		return err
	})
}

// WithPage runs a seed and writes its page to a file, whose directory must exist. It blocks for as
// long as the run takes.
func WithPage(file string, run Runner, o plan.Options, about page.About) (cell.Result, error) {
	recorder := page.NewRecorder()
	watched := o
	recorder.Watch(&watched)
	r := Guard(run)(watched)
	return r, writePage(file, recorder, o, &r, about)
}

// writeHistory writes the history, and its picture if it can be drawn.
func writeHistory(dir string, r *cell.Result, m *Manifest) error {
	if h := r.LockHistory(); h != nil {
		err := writeFile(dir, LocksFile, func(w io.Writer) error { return linearizability.WriteJSONL(w, linearizability.Lock(), h) })
		if err != nil {
			return err
		}
	}
	var err error
	switch {
	case r.NodeHistory() != nil:
		m.Page, err = WriteHistory(dir, linearizability.File(), r.NodeHistory())
	case r.History() != nil:
		m.Page, err = WriteHistory(dir, linearizability.KV(), r.History())
	default:
		m.Page = "there is no history"
	}
	return err
}

// WriteHistory writes a history into a directory that exists: HistoryFile, and PageFile if it can be
// drawn. without says why there is no picture; "": there is one.
func WriteHistory[S, I, O any](dir string, model *linearizability.Model[S, I, O], h *linearizability.History[I, O]) (without string, err error) {
	err = writeFile(dir, HistoryFile, func(w io.Writer) error { return linearizability.WriteJSONL(w, model, h) })
	if err != nil {
		return "", err
	}
	err = writeFile(dir, PageFile, func(w io.Writer) error {
		return linearizability.WritePage(w, model, h, linearizability.PageOptions{})
	})
	if errors.Is(err, linearizability.ErrPage) {
		return err.Error(), os.Remove(filepath.Join(dir, PageFile))
	}
	return "", err
}

// RemoveArtifacts removes from a directory the files of an earlier run that another run may not
// write. The manifest is one of them: without it a directory is incomplete. A directory that does
// not exist is an empty one.
func RemoveArtifacts(dir string) error {
	return removeFiles(dir, ManifestFile, HistoryFile, PageFile, LocksFile, CaseFile, CaseTraceFile, CasePageFile, StoryFile)
}

// removeFiles removes those of the files that exist.
func removeFiles(dir string, names ...string) error {
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// writeFile makes a file with the output of write. After an error the incomplete file stays.
func writeFile(dir, name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 1<<18)
	err = write(b)
	if err = errors.Join(err, b.Flush(), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return nil
}
