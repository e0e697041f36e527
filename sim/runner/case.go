package runner

import (
	"io"
	"os"
	"path/filepath"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/page"
	"github.com/chubbycell/chubby/sim/shrink"
)

// Files in the directory of a failing seed that was shrunk.
const (
	CaseFile      = "shrunk.json"      // a Manifest with a script, for replay and for tests
	CaseTraceFile = "shrunk-trace.txt" // every event of its run
	CasePageFile  = "shrunk-page.html" // its run for a browser; see sim/page
	StoryFile     = "story.txt"        // how the property came to break, in words
)

// Shrunk describes how a case was shrunk.
type Shrunk struct {
	Was  shrink.Size `json:"was"`
	Is   shrink.Size `json:"is"`
	Runs int         `json:"runs"`
	Done bool        `json:"done"` // nothing more can be removed; false: time was up
}

// WriteCase runs a case once more, and writes the case with the trace and the page of that run into
// a directory, which it makes if necessary. It returns the path of the case. It blocks for as long
// as the run takes.
func WriteCase(dir string, b Build, run Runner, c *shrink.Case) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	recorder := page.NewRecorder()
	var r cell.Result
	err := writeFile(dir, CaseTraceFile, func(w io.Writer) error {
		o := c.Options
		(&moments.Printer{W: w}).Watch(&o)
		recorder.Watch(&o)
		r = Guard(run)(o)
		return nil
	})
	if err != nil {
		return "", err
	}
	about := page.About{Faults: c.Was.Faults}
	if err := writePage(filepath.Join(dir, CasePageFile), recorder, c.Options, &r, about); err != nil {
		return "", err
	}
	m := NewManifest(b, c.Options)
	m.Add(&c.Result)
	m.Breach, m.Stack, m.Shrunk = c.Result.Breach, c.Result.Stack, &Shrunk{c.Was, c.Is, c.Runs, c.Done}
	path := filepath.Join(dir, CaseFile)
	return path, m.writeFile(path)
}

// Same reports whether a run has the breach of the manifest, found by the same check.
func (m *Manifest) Same(r *cell.Result) bool { return r.Breach.Same(m.Breach) }

// FaultsBefore returns how many faults struck in the run from which the case was shrunk, or 0 if
// that is not known.
func (m *Manifest) FaultsBefore() int {
	if m.Shrunk == nil {
		return 0
	}
	return m.Shrunk.Was.Faults
}
