package session

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// holding is a handle of which the machine has to know more than the call that
// made it: it holds a lock, or keeps an ephemeral node, or its token has changed.
type holding struct {
	names     []api.Token // its tokens, the newest last
	held      api.Acquisition
	ephemeral bool
	serial    int
}

// holdings are the holdings of a session, by each token that they ever had.
type holdings struct {
	by     map[api.Token]*holding
	serial int
}

// of returns the holding of a handle, and makes one if there is none.
func (h *holdings) of(t api.Token) *holding {
	if h.by == nil {
		h.by = map[api.Token]*holding{}
	}
	if h.by[t] == nil {
		h.serial++
		h.by[t] = &holding{names: []api.Token{t}, serial: h.serial}
	}
	return h.by[t]
}

// newest is the token by which a handle is named now.
func (h *holdings) newest(t api.Token) api.Token {
	if x := h.by[t]; x != nil {
		return x.token()
	}
	return t
}

func (x *holding) token() api.Token { return x.names[len(x.names)-1] }

// drop forgets a handle.
func (h *holdings) drop(t api.Token) {
	if x := h.by[t]; x != nil {
		for _, name := range x.names {
			delete(h.by, name)
		}
	}
}

// tokens are those of the handles that hold something, the oldest holding first.
func (h *holdings) tokens() []api.Token {
	var held []*holding
	for name, x := range h.by { // order-free: sorted below
		if name == x.token() && (x.held != 0 || x.ephemeral) {
			held = append(held, x)
		}
	}
	slices.SortFunc(held, func(a, b *holding) int { return a.serial - b.serial })
	var all []api.Token
	for _, x := range held {
		all = append(all, x.token())
	}
	return all
}

// with is all and one more, unless that is there.
func (h *holdings) with(all []api.Token, t api.Token) []api.Token {
	if t = h.newest(t); slices.Contains(all, t) {
		return all
	}
	return append(all, t)
}

// note learns from an executed call what its handle holds now.
func (h *holdings) note(op api.Op, r api.Result) {
	switch r.Code {
	case api.Gone, api.HandleClosed:
		h.drop(api.HandleOf(op))
		return
	case api.OK, api.NotHeld:
	default:
		return
	}
	switch o := op.(type) {
	case api.Open:
		if opened, ok := r.Detail.(api.Opened); ok && opened.Stat.Ephemeral {
			h.of(opened.Token).ephemeral = true
		}
	case api.Acquire:
		if held, ok := r.Detail.(api.Held); ok {
			h.of(o.Handle).held = held.Acquisition
		}
	case api.Release:
		if x := h.by[o.Handle]; x != nil && x.held == o.Acquisition {
			x.held = 0
		}
	case api.CloseHandle:
		h.drop(o.Handle)
	case api.SetSequencer:
		if opened, ok := r.Detail.(api.Opened); ok && opened.Token != o.Handle {
			x := h.of(o.Handle)
			x.names = append(x.names, opened.Token)
			h.by[opened.Token] = x
		}
	}
}
