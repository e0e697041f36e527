package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/story"
)

//go:embed page.html
var pageText string

//go:embed script/page.css
var pageStyle string

//go:embed script/data.js
var dataScript string

//go:embed script/draw.js
var drawScript string

//go:embed script/page.js
var pageScript string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Recorder listens to one run and keeps the data of its page. It is for one goroutine.
type Recorder struct {
	log     *moments.Log
	bars    bars
	changes []change
	states  map[sim.Addr]sessionState
	asked   time.Duration // true time when clients were asked last
	end     time.Duration // true time of the latest event or line
}

// NewRecorder returns an empty Recorder.
func NewRecorder() *Recorder {
	return &Recorder{log: moments.NewLog(), states: map[sim.Addr]sessionState{}, asked: -every}
}

// Watch adds the Recorder to the trace and the listener of a run of o. A writer and a listener that o has already still
// get everything, before the Recorder. Watch removes the bounds of o.Trace: the trace then has the lines of all
// machines and events.
func (r *Recorder) Watch(o *plan.Options) {
	to, describe, tell := o.Trace.W, o.Trace.Describe, o.Listen
	r.log.Watch(o)
	o.Listen, o.Trace.W = r.listen, r
	if tell != nil {
		o.Listen = func(now time.Duration, e event.Event) {
			tell(now, e)
			r.listen(now, e)
		}
	}
	if to != nil {
		o.Trace.W = io.MultiWriter(to, r)
		if describe != nil { // the other writer's, which gives the same texts
			o.Trace.Describe = describe
		}
	}
}

// About is what the caller adds to a page.
type About struct {
	Verdict string // the outcome of the run, in one line
	Command string // command line that runs it again; "": the page has none
	Faults  int    // faults of the run before it was shrunk; 0: unknown
}

// view is the input of the template.
type view struct {
	Title, Verdict, Command string
	Broke                   bool
	Facts                   []string
	Standing                []string
	Story                   []string
	LeftOut                 string
	Style                   template.CSS
	Data                    template.JS
	Scripts                 []template.JS
}

// StoryOf returns how a finished run of o that the Recorder has watched came to break b.
func (r *Recorder) StoryOf(o plan.Options, b *cell.Breach) story.Story {
	p := plan.New(o)
	return story.Of(r.log, &p, b, 0)
}

// WritePage writes the page of a finished run of o that the Recorder has watched. res is the result of the run. It
// returns the errors of w.
func (r *Recorder) WritePage(w io.Writer, o plan.Options, res *cell.Result, about About) error {
	p := plan.New(o)
	var s story.Story
	at := time.Duration(0)
	if res.Breach != nil {
		s, at = story.Of(r.log, &p, res.Breach, about.Faults), res.Breach.At
	}
	d := r.data(newFaultWords(r.log, &p), &s)
	d.names = plan.RolesOf(&p)
	for who, role := range d.names {
		d.names[who] = fmt.Sprintf("%v, %s", who, role)
	}
	return d.fit(w, at, view{
		Title: fmt.Sprintf("Seed %d", res.Seed), Verdict: about.Verdict, Command: about.Command, Broke: res.Breach != nil,
		Facts: facts(&p, res), Standing: standing(&p), Story: s.Lines,
	})
}

// fit writes the page with as many entries as Limit allows. at is the true time of the break, or 0.
func (d *data) fit(w io.Writer, at time.Duration, v view) error {
	all := d.entries
	weights := newWeights(all, v.Broke, at)
	for n := len(all); ; {
		d.entries = weights.keep(all, n)
		v.LeftOut = weights.leftOut(all, d.entries)
		page, err := d.page(v)
		if err != nil {
			return err
		}
		if len(page) <= Limit || n < 1000 {
			_, err := w.Write(page)
			return err
		}
		n = int(float64(len(d.entries)) * min(0.98, 0.99*Limit/float64(len(page))))
	}
}

// page returns the page with all present entries.
func (d *data) page(v view) ([]byte, error) {
	v.Style = template.CSS(pageStyle)
	v.Data = template.JS(d.encode())
	for _, s := range []string{dataScript, drawScript, pageScript} {
		v.Scripts = append(v.Scripts, template.JS(s))
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, &v)
	return b.Bytes(), err
}

// facts are a few words about a run.
func facts(p *plan.Plan, r *cell.Result) []string {
	return []string{
		fmt.Sprintf("%d replicas", p.Replicas), fmt.Sprintf("%d clients (%s)", p.Clients, p.Workload),
		fmt.Sprintf("%.1f s simulated", r.Simulated.Seconds()), fmt.Sprintf("%d steps", r.Events), fmt.Sprintf("%d calls answered", r.Ops),
		fmt.Sprintf("%d fail-overs", r.Failovers), "hash " + r.Hash,
	}
}
