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
	CasePageFile  = "shrunk-page.html" // the same for a browser; see sim/page
	StoryFile     = "story.txt"        // how it came to break what it breaks
)

// Shrunk says how a case came about.
type Shrunk struct {
	Was  shrink.Size `json:"was"`
	Is   shrink.Size `json:"is"`
	Runs int         `json:"runs"`
	Done bool        `json:"done"` // nothing that was tried can be spared; else time was up
}

// WriteCase writes a case, and the trace and the page of its run, which it makes once more, into a
// directory, which it makes if need be. It returns the path of the case.
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

// Same says that a run breaks what the manifest says, by the same check.
func (m *Manifest) Same(r *cell.Result) bool { return r.Breach.Same(m.Breach) }

// FaultsBefore is how many faults struck in the run from which a case was shrunk; 0: it is not
// known.
func (m *Manifest) FaultsBefore() int {
	if m.Shrunk == nil {
		return 0
	}
	return m.Shrunk.Was.Faults
}
