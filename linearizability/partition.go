package linearizability

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/linearizability/history"
)

// partition is a part of a history that can be checked by itself, in order of call. The operations
// belong to the history.
type partition[I, O any] struct {
	name    string
	ops     []*Operation[I, O]
	clients history.Names
}

// partitions splits a history into the smallest parts that the model allows, in order of name.
func partitions[S, I, O any](m *Model[S, I, O], h *History[I, O]) ([]partition[I, O], error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	ops := h.Operations()
	all := make([]*Operation[I, O], len(ops))
	for i := range ops {
		all[i] = &ops[i]
		if m.Validate == nil {
			continue
		}
		if err := m.Validate(ops[i].Input); err != nil {
			return nil, fmt.Errorf("%w: operation %d: %w", ErrMalformed, ops[i].ID, err)
		}
	}
	var out []partition[I, O]
	for _, p := range group(all, func(op *Operation[I, O]) string { return m.PartitionOf(op.Input) }) {
		out = append(out, narrow(m, p)...)
	}
	for i := range out {
		out[i].clients = h.Names()
	}
	return out, nil
}

// narrow splits a partition into the model's smaller parts, unless a relevant operation spans more
// than one of them. It leaves out operations that span more than one and are not relevant (failed,
// or reads of unknown outcome).
func narrow[S, I, O any](m *Model[S, I, O], p partition[I, O]) []partition[I, O] {
	if m.Narrow == nil {
		return []partition[I, O]{p}
	}
	narrowed := make([]*Operation[I, O], 0, len(p.ops))
	for _, op := range p.ops {
		if _, ok := m.Narrow(op.Input, op.Seen()); ok {
			narrowed = append(narrowed, op)
		} else if m.IsRelevant(op) {
			return []partition[I, O]{p}
		}
	}
	return group(narrowed, func(op *Operation[I, O]) string {
		name, _ := m.Narrow(op.Input, op.Seen())
		return name
	})
}

// group collects operations by name, in order of name.
func group[I, O any](ops []*Operation[I, O], name func(*Operation[I, O]) string) []partition[I, O] {
	at := make(map[string]int)
	var parts []partition[I, O]
	for _, op := range ops {
		n := name(op)
		i, ok := at[n]
		if !ok {
			i = len(parts)
			at[n] = i
			parts = append(parts, partition[I, O]{name: n})
		}
		parts[i].ops = append(parts[i].ops, op)
	}
	slices.SortFunc(parts, func(a, b partition[I, O]) int { return strings.Compare(a.name, b.name) })
	return parts
}
