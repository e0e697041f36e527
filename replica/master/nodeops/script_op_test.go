package nodeops_test

import (
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

func (s *script) op(id api.SessionID, w []string) api.Op {
	token := s.tokens[w[1]]
	if w[1] == "forged" {
		token = s.tokens["f"][:len(s.tokens["f"])-1] + "x"
	}
	switch w[0] {
	case "open":
		return s.open(w)
	case "get":
		return api.GetContents{Handle: token}
	case "stat":
		return api.GetStat{Handle: token}
	case "dir":
		return api.ReadDir{Handle: token}
	case "set":
		return api.SetContents{Handle: token, Contents: w[2]}
	case "names":
		n := api.ACLName(w[2])
		return api.SetACL{Handle: token, Names: api.ACLNames{Read: n, Write: n, Change: n}}
	case "delete":
		return api.DeleteNode{Handle: token}
	case "acquire":
		m := map[string]api.Mode{"exclusive": api.Exclusive, "shared": api.Shared}[w[2]]
		return api.Acquire{Handle: token, Mode: m, Wait: len(w) > 3}
	case "release":
		if len(w) > 3 {
			return api.Release{Handle: token, Acquisition: max(s.held[name{id, s.number(w[3])}], 1)}
		}
		return api.Release{Handle: token, Acquisition: max(s.last[w[1]], 1)}
	case "cancel":
		return api.CancelAcquire{Handle: token, Call: s.number(w[2])}
	case "sequencer":
		return api.GetSequencer{Handle: token}
	case "attach":
		return api.SetSequencer{Handle: token, Sequencer: s.quoted[w[2]].Encode()}
	case "check":
		return api.CheckSequencer{Handle: token, Sequencer: s.quoted[w[2]].Encode()}
	case "close":
		return api.CloseHandle{Handle: token}
	case "poison":
		return api.Poison{Handle: token}
	}
	s.t.Fatalf("no op: %v", w)
	return nil
}

var masks = map[string]api.EventMask{
	"contents": api.WantContents, "children": api.WantChildren, "invalid": api.WantInvalid,
	"acquired": api.WantLockAcquired, "wanted": api.WantLockWanted,
}

func (s *script) open(w []string) api.Open {
	rights := map[rune]api.Rights{'r': api.RightRead, 'w': api.RightWrite, 'c': api.RightChangeACL}
	create := map[string]api.Creation{"never": api.CreateNever, "may": api.CreateMay, "must": api.CreateMust}
	o := api.Open{Path: strings.TrimPrefix(w[2], "/"), Create: create[w[4]]}
	for _, r := range w[3] {
		o.Rights |= rights[r]
	}
	if o.Create != api.CreateNever {
		o.Kind = api.File
	}
	for i, more := range w[5:] {
		switch more {
		case "ephemeral":
			o.Ephemeral = true
		case "directory":
			o.Kind = api.Directory
		case "private":
			o.Names = api.ACLNames{Read: "ann", Write: "ann", Change: "ann"}
		case "delay":
			o.Delay = api.DelayOf(s.duration(w[5+i+1]))
		case "below":
			o.Dir = s.tokens[w[5+i+1]]
		case "hears":
			for k := range strings.SplitSeq(w[5+i+1], ",") {
				o.Events |= masks[k]
			}
		}
	}
	require.Equal(s.t, api.OK, o.Check())
	return o
}
