package simcmd

import (
	"fmt"
	"time"

	"github.com/cheggaaa/pb/v3"

	"github.com/chubbycell/chubby/sim/cell"
)

// progress shows on stderr how far a batch is: as a bar on a terminal, elsewhere as a line now and then. It is called
// by one goroutine at a time.
type progress struct {
	app   *app
	began time.Time
	now   time.Time // of the last seed
	told  time.Time // of the last plain line
	seeds uint64    // requested number of counted seeds; 0: no number
	limit time.Duration
	bar   *pb.ProgressBar // nil: plain lines

	all, failed uint64
	early       []*failedSeed // failures that are not printed yet
	words       string        // format of the state: counting or verifying
}

// The state of a batch, and of a verification. The arguments are the seeds done, " of N", the others, and the failed
// ones.
const (
	counting  = "%d%s counted, %d idle, %d failed"
	verifying = "%d%s verified, %[4]d differ"
)

const barTemplate = `{{string . "state"}} {{bar . "[" "=" ">" " " "]"}} {{percent . }} {{etime . }}`

func (a *app) newProgress(words string, seeds uint64, limit time.Duration) *progress {
	p := &progress{app: a, words: words, began: a.now(), seeds: seeds, limit: limit}
	p.told = p.began
	if a.Terminal && (seeds > 0 || limit > 0) {
		total := int64(seeds)
		if seeds == 0 {
			total = int64(limit / time.Millisecond)
		}
		p.bar = pb.New64(total).SetTemplateString(barTemplate).SetWriter(a.Err)
		p.bar.Start()
	}
	return p
}

// seed notes the end of a seed.
func (p *progress) seed(r *cell.Result, counted uint64) {
	p.all++
	if r.Failed() {
		p.failed++
	}
	p.now = p.app.now()
	p.printEarly()
	if p.bar != nil {
		p.bar.Set("state", p.state(counted))
		if p.seeds > 0 {
			p.bar.SetCurrent(int64(counted))
		} else {
			p.bar.SetCurrent(int64(min(p.now.Sub(p.began), p.limit) / time.Millisecond))
		}
		return
	}
	if p.now.Sub(p.told) >= every {
		p.told = p.now
		p.app.Say("%4.0f s  %s", p.now.Sub(p.began).Seconds(), p.state(counted))
	}
}

// failure prints the failure of the last seed at once, if the run has lasted for every: its end, when all failures are
// printed, may be hours away. Earlier failures are printed as soon as the run has lasted so long.
func (p *progress) failure(f *failedSeed) {
	p.early = append(p.early, f)
	p.printEarly()
}

// printEarly prints the failures that are not printed yet, unless the run is short so far.
func (p *progress) printEarly() {
	if p.now.Sub(p.began) < every {
		return
	}
	for _, f := range p.early {
		p.app.Say("%s", f)
	}
	p.early = nil
}

func (p *progress) state(counted uint64) string {
	want := ""
	if p.seeds > 0 {
		want = fmt.Sprintf(" of %d", p.seeds)
	}
	return fmt.Sprintf(p.words, counted, want, p.all-counted-p.failed, p.failed)
}

func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
