package adversary

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// openSession opens a session. A hostile client also makes ordinary calls, because its tricks need
// a session, handles and locks of its own.
func openSession(h *hostile) {
	h.of.programs.Sessions++
	h.raw("session", api.Request{Op: api.OpenSession{Nonce: h.nonce}}, anything)
}

// behave makes a call that any client may make.
func behave(h *hostile) {
	t, has := pick(h.draws, h.own)
	switch h.draws.Int(9) {
	case 0, 1:
		op := api.KeepAlive{AckedEpoch: h.epoch, Now: true}
		if h.draws.Chance(1, 2) { // which also says that these are all its tokens; package client sends that later
			op.Tokens = holding(h)
		}
		h.raw("keep-alive", api.Request{Session: h.session, Epoch: h.epoch, Op: op}, anything)
	case 2, 3:
		open(h, place(h), api.RightRead|api.RightWrite|api.RightChangeACL)
	case 4:
		open(h, place(h), api.RightRead)
	case 5:
		useLocks(h, t, has)
	default:
		if has {
			h.send("use", useOf(h, t), anything)
		}
	}
	if len(h.own) > 40 {
		h.send("close", api.CloseHandle{Handle: h.own[0]}, only(api.OK, api.BadHandle))
	}
}

// holding returns its handles that hold a lock, as far as it knows.
func holding(h *hostile) (all []api.Token) {
	for _, t := range h.own {
		if _, holds := h.held[t]; holds && len(all) < api.MaxTokens {
			all = append(all, t)
		}
	}
	return all
}

// place draws the path of a node of its own.
func place(h *hostile) string {
	if h.draws.Chance(1, 4) {
		return "guest"
	}
	return fmt.Sprintf("guest/f%d", h.draws.Int(4))
}

func open(h *hostile, path string, rights api.Rights) {
	op := api.Open{Path: path, Rights: rights, Create: api.CreateMay, Kind: api.File, Ephemeral: h.draws.Chance(1, 4)}
	if path == "guest" {
		op.Kind, op.Ephemeral = api.Directory, false
	}
	if h.draws.Chance(1, 2) {
		op.Delay = api.DelayOf(h.draws.Duration(0, 2*time.Second)) // for a lock that it holds and does not present to a new master
	}
	if h.draws.Chance(1, 6) {
		op.Names.Write = "nobody" // there is no such file: it cannot be opened for writing again
	}
	h.send("open", op, anything)
}

func useLocks(h *hostile, t api.Token, has bool) {
	if !has {
		return
	}
	held, holds := h.held[t]
	if !holds {
		h.send("acquire", api.Acquire{Handle: t, Mode: api.Exclusive, Wait: h.draws.Chance(1, 2)}, anything)
		return
	}
	delete(h.held, t)
	q := api.Sequencer{Node: h.stat[t].Node, Mode: api.Exclusive, Gen: held.Gen}
	h.send("release", api.Release{Handle: t, Acquisition: held.Acquisition}, func(p api.Reply) bool {
		if p.Code != api.OK {
			return true // as far as it knows, it still holds the lock
		}
		if h.expired = append(h.expired, q.Encode()); len(h.expired) > mostHeard {
			h.expired = h.expired[1:]
		}
		return true
	})
}

// useOf draws a call on a handle.
func useOf(h *hostile, t api.Token) api.Op {
	switch h.draws.Int(8) {
	case 0:
		return api.GetStat{Handle: t}
	case 1:
		return api.SetContents{Handle: t, Contents: fmt.Sprint("guest ", h.seq)}
	case 2:
		return api.ReadDir{Handle: t}
	case 3:
		return api.SetACL{Handle: t, Names: api.ACLNames{Read: "everybody", Write: "everybody", Change: "everybody"}}
	case 4:
		return api.DeleteNode{Handle: t}
	case 5:
		return api.GetSequencer{Handle: t}
	case 6:
		return api.Acquire{Handle: t, Mode: api.Shared}
	}
	return api.GetContents{Handle: t}
}
