package torture

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/chubbycell/chubby/linearizability"
)

// pool is the histories of one kind that are used at present. A history that is full is judged,
// and another one takes its place.
type pool[S, I, O any] struct {
	run     *run
	kind    string // begins the names of histories
	model   *linearizability.Model[S, I, O]
	changes func(in I, out *O) bool

	mu   sync.Mutex
	now  []*history[S, I, O]
	made int
}

// newPool has n histories be used at one time.
func newPool[S, I, O any](r *run, kind string, n int, model *linearizability.Model[S, I, O], changes func(in I, out *O) bool) *pool[S, I, O] {
	p := &pool[S, I, O]{run: r, kind: kind, model: model, changes: changes}
	for range n {
		p.now = append(p.now, p.next())
	}
	return p
}

func (p *pool[S, I, O]) next() *history[S, I, O] {
	p.made++
	h := &history[S, I, O]{clock: &p.run.clock, model: p.model, name: fmt.Sprintf("%s-%d", p.kind, p.made), changes: p.changes}
	p.run.keep(h)
	return h
}

// pick chooses a history that is not full. full: the one whose place it took just now; nil: none.
func (p *pool[S, I, O]) pick() (h, full *history[S, I, O]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := rand.IntN(len(p.now))
	if p.now[i].isFull() {
		full, p.now[i] = p.now[i], p.next()
		p.run.retire(full)
	}
	return p.now[i], full
}
