package handles

import (
	"github.com/chubbycell/chubby/sim/conformance/clients"
	"github.com/chubbycell/chubby/sim/model"
)

// LooseFinding demands of a call that is made by a handle which its program has tied to a
// sequencer that every copy which came was asked by a token that says so: of another one
// the cell looks at no sequencer (C6.16). What only gives something up needs none.
func (b *Checker) LooseFinding(k model.Call) model.Finding {
	for _, a := range b.asked[k] {
		token, on := model.TokenIn(a.op)
		if t, ok := clients.ReadToken(token); on && model.NeedsFence(a.op) && (!ok || len(t.Tied) == 0) && a.who == b.rights.Opened[k.Session] {
			return model.Findingf("S10", "call %d of session %d, %T, comes by a token that does not say so", k.Seq, k.Session, a.op)
		}
	}
	return model.Finding{}
}
