package linearizability

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/anishathalye/porcupine"
)

// ErrPage is wrapped by the errors of WritePage about what it cannot draw.
var ErrPage = errors.New("no page")

// PageOptions configure WritePage.
type PageOptions struct {
	// Partition is the name of the partition to draw. Empty: the one that Explain explains or,
	// if none is illegal, the one with most operations.
	Partition string
	// MaxOperations is the most operations that a browser should draw; 0 means 1,000.
	MaxOperations int
	Budget        Budget
}

func (o PageOptions) orDefault() PageOptions {
	if o.MaxOperations <= 0 {
		o.MaxOperations = 1000
	}
	return o
}

// WritePage writes Porcupine's interactive picture of one partition: a single HTML file that needs
// no network. It draws an illegal partition up to its shortest illegal prefix. If that prefix has
// too many operations, it leaves out those whose outcome does not matter. If there are still too
// many, or no partition has the given name, the error wraps ErrPage. Unlike verdicts, the page is
// not reproducible byte for byte.
func WritePage[S, I, O any](w io.Writer, m *Model[S, I, O], h *History[I, O], o PageOptions) error {
	o = o.orDefault()
	c, err := newDecision(m, h, o.Budget.ours())
	if err != nil {
		return err
	}
	if err := c.narrow(o.Partition); err != nil {
		return err
	}
	if c.run(); c.illegal != nil {
		return newExplainer(m, *c.illegal, o.Budget).writePage(w, o)
	}
	if len(c.order) == 0 {
		return fmt.Errorf("%w: the history is empty", ErrPage)
	}
	largest := c.parts[c.order[len(c.order)-1]]
	return drawPage(w, m, largest, largest.ops, o)
}

// narrow keeps only the named partition, if a name is given.
func (c *decision[S, I, O]) narrow(name string) error {
	if name == "" {
		return nil
	}
	i := slices.IndexFunc(c.parts, func(p partition[I, O]) bool { return p.name == name })
	if i < 0 {
		return fmt.Errorf("%w: no partition is called %q", ErrPage, name)
	}
	c.order = []int{i}
	return nil
}

// writePage draws the shortest illegal prefix or, if that is too large, the part of it that
// matters.
func (e *explainer[S, I, O]) writePage(w io.Writer, o PageOptions) error {
	ops := e.prefix.ops
	if len(ops) > o.MaxOperations {
		ops = newSearch(e.model, e.reduced, e.budget).ops // settled
	}
	return drawPage(w, e.model, e.part, ops, o)
}

// drawPage searches once more, with Porcupine, keeping partial orders, and draws them. Drawing
// replays them, so it uses a model whose budget is not exhausted.
func drawPage[S, I, O any](w io.Writer, m *Model[S, I, O], part partition[I, O], ops []*Operation[I, O], o PageOptions) error {
	if len(ops) > o.MaxOperations {
		return fmt.Errorf("%w: partition %q would have %d operations, the limit is %d", ErrPage, part.name, len(ops), o.MaxOperations)
	}
	run := newPorcupineRun(newSearch(m, ops, o.Budget))
	run.clients = part.clients
	_, info := porcupine.CheckOperationsVerbose(run.model(), run.history(), 0)
	if run.panicked != nil {
		panic(run.panicked)
	}
	replay := newPorcupineRun(newSearch(m, nil, Budget{Steps: Unbounded, Bytes: Unbounded}))
	replay.clients = part.clients
	return porcupine.Visualize(replay.model(), info, w)
}
