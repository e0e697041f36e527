package simcmd

import (
	"fmt"
	"time"

	"github.com/cheggaaa/pb/v3"

	"github.com/chubbycell/chubby/sim/cell"
)

// progress tells on stderr how far a batch is: with a bar on a terminal, with
// a line now and then elsewhere. It is called by one goroutine at a time.
type progress struct {
	app   *app
	began time.Time
	now   time.Time // of the last seed
	told  time.Time // of the last plain line
	seeds uint64    // counted seeds wanted, 0: no such end
	limit time.Duration
	bar   *pb.ProgressBar // nil: plain lines

	all, failed uint64
	early       []*failedSeed // that nothing was told of yet
	words       string        // state, given done, wanted and what else; see counting and verifying
}

// What is told of a batch, and of a verification.
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
	p.untold()
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

// failure tells at once of the seed that was last, which failed, where the run is a
// long one: its end, where all are told of, may be hours away. Of those in its first
// seconds it tells as soon as it has become one.
func (p *progress) failure(f *failedSeed) {
	p.early = append(p.early, f)
	p.untold()
}

func (p *progress) untold() {
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
