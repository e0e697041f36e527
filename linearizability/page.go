package linearizability

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/anishathalye/porcupine"
)

// ErrPage is wrapped by the errors of WritePage for what cannot be drawn.
var ErrPage = errors.New("no page")

// PageOptions say what WritePage draws.
type PageOptions struct {
	// Partition is the name of the partition to draw. Empty: the one that Explain explains or,
	// if none is illegal, the one with most operations.
	Partition string
	// MaxOperations is the most a browser is asked to draw; 0 means 1,000.
	MaxOperations int
	Budget        Budget
}

// WritePage writes Porcupine's interactive picture of one partition: a single HTML file that
// needs no network. An illegal partition is drawn up to its shortest illegal prefix; if that
// has too many operations, those whose outcome does not matter are left out. If it still has
// too many, or no partition has the name, the error wraps ErrPage. Unlike verdicts, the page is
// not reproducible byte for byte.
func WritePage[S, I, O any](w io.Writer, m *Model[S, I, O], h *History[I, O], o PageOptions) error {
	if o.MaxOperations <= 0 {
		o.MaxOperations = 1000
	}
	p, err := pagePartition(m, h, o)
	if err != nil {
		return err
	}
	ops := p.ops
	if newSearch(m, ops, o.Budget).run() == Illegal {
		e := newExplainer(m, *p, o.Budget)
		if ops = e.prefix.ops; len(ops) > o.MaxOperations {
			ops = newSearch(m, e.reduced, o.Budget).ops // settled
		}
	}
	if len(ops) > o.MaxOperations {
		return fmt.Errorf("%w: partition %q would have %d operations, the limit is %d", ErrPage, p.name, len(ops), o.MaxOperations)
	}
	return drawPage(w, m, ops, o.Budget)
}

func pagePartition[S, I, O any](m *Model[S, I, O], h *History[I, O], o PageOptions) (*partition[I, O], error) {
	if o.Partition == "" {
		if p, err := illegalPartition(m, h, o.Budget); err != nil || p != nil {
			return p, err
		}
	}
	parts, err := partitions(m, h)
	if err != nil {
		return nil, err
	}
	if o.Partition == "" && len(parts) > 0 {
		largest := slices.MaxFunc(parts, func(x, y partition[I, O]) int { return len(x.ops) - len(y.ops) })
		return &largest, nil
	}
	for i := range parts {
		if parts[i].name == o.Partition {
			return &parts[i], nil
		}
	}
	return nil, fmt.Errorf("%w: no partition is called %q", ErrPage, o.Partition)
}

// drawPage searches once more, keeping partial orders, and draws them. Drawing replays them, so
// it uses a model whose budget is not exhausted.
func drawPage[S, I, O any](w io.Writer, m *Model[S, I, O], ops []*Operation[I, O], b Budget) error {
	s := newSearch(m, ops, b)
	_, info := porcupine.CheckOperationsVerbose(s.porcupineModel(), s.porcupineHistory(), 0)
	if s.panicked != nil {
		panic(s.panicked)
	}
	replay := newSearch(m, nil, Budget{Steps: Never, Bytes: Never})
	return porcupine.Visualize(replay.porcupineModel(), info, w)
}
