package page

import (
	"io"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/story"
)

// World describes a run of a world without a cell: what its page needs in addition to the trace.
type World struct {
	About
	Title  string
	Facts  []string
	Breach *cell.Breach // nil: nothing broke
}

// StoryOfWorld returns how a run of a world without a cell came to break b. The trace of the run was written to the
// Recorder.
func (r *Recorder) StoryOfWorld(b *cell.Breach) story.Story { return story.OfWorld(r.log, b) }

// WriteWorld writes the page of a finished run of a world without a cell. The trace of the run was written to the
// Recorder. WriteWorld returns the errors of w.
func (r *Recorder) WriteWorld(w io.Writer, of World) error {
	var s story.Story
	at := time.Duration(0)
	if of.Breach != nil {
		s, at = r.StoryOfWorld(of.Breach), of.Breach.At
	}
	d := r.data(&faultWords{harms: r.log.Harms(), help: map[string]string{}}, &s)
	d.names = map[sim.Addr]string{0: "world"}
	return d.fit(w, at, view{Title: of.Title, Verdict: of.Verdict, Command: of.Command, Broke: of.Breach != nil, Facts: of.Facts, Story: s.Lines})
}
