package session

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// holding is a handle whose state outlives its calls: it holds a lock, keeps an ephemeral node,
// receives events, or has changed its token.
type holding struct {
	tokens    []api.Token // all it has had, the newest last
	held      api.Acquisition
	ephemeral bool
	watches   bool
	// in order of creation
	serial int
}

// holdings are the holdings of a session, indexed by each token that they have had.
type holdings struct {
	byToken map[api.Token]*holding
	serial  int
}

// ensure returns the holding of a handle, and creates it if there is none.
func (h *holdings) ensure(t api.Token) *holding {
	if h.byToken == nil {
		h.byToken = map[api.Token]*holding{}
	}
	if h.byToken[t] == nil {
		h.serial++
		h.byToken[t] = &holding{tokens: []api.Token{t}, serial: h.serial}
	}
	return h.byToken[t]
}

// current returns the newest token of a handle.
func (h *holdings) current(t api.Token) api.Token {
	if x := h.byToken[t]; x != nil {
		return x.current()
	}
	return t
}

func (x *holding) current() api.Token { return x.tokens[len(x.tokens)-1] }

// drop removes a handle.
func (h *holdings) drop(t api.Token) {
	if x := h.byToken[t]; x != nil {
		for _, name := range x.tokens {
			delete(h.byToken, name)
		}
	}
}

// heldTokens returns the tokens of the handles that hold something or receive events, in order of
// creation.
func (h *holdings) heldTokens() []api.Token {
	var held []*holding
	for name, x := range h.byToken { // order-free: sorted below
		if name == x.current() && (x.held != 0 || x.ephemeral || x.watches) {
			held = append(held, x)
		}
	}
	slices.SortFunc(held, func(a, b *holding) int { return a.serial - b.serial })
	var all []api.Token
	for _, x := range held {
		all = append(all, x.current())
	}
	return all
}

// addToken appends the newest token of a handle unless all contains it.
func (h *holdings) addToken(all []api.Token, t api.Token) []api.Token {
	if t = h.current(t); slices.Contains(all, t) {
		return all
	}
	return append(all, t)
}

// update records what a handle holds after an executed call.
func (h *holdings) update(op api.Op, r api.Result) {
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
		if opened, ok := r.Detail.(api.Opened); ok && (opened.Stat.Ephemeral || o.Events != 0) {
			x := h.ensure(opened.Token)
			x.ephemeral, x.watches = opened.Stat.Ephemeral, o.Events != 0
		}
	case api.Acquire:
		if held, ok := r.Detail.(api.Held); ok {
			h.ensure(o.Handle).held = held.Acquisition
		}
	case api.Release:
		if x := h.byToken[o.Handle]; x != nil && x.held == o.Acquisition {
			x.held = 0
		}
	case api.Poison:
		if x := h.byToken[o.Handle]; x != nil {
			x.watches = false
		}
	case api.CloseHandle:
		h.drop(o.Handle)
	case api.SetSequencer:
		if opened, ok := r.Detail.(api.Opened); ok && opened.Token != o.Handle {
			x := h.ensure(o.Handle)
			x.tokens = append(x.tokens, opened.Token)
			h.byToken[opened.Token] = x
		}
	}
}
