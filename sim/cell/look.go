package cell

import "github.com/chubbycell/chubby/replica/node"

// Every so many inputs of a replica its memory is walked through, and its rows; less
// often where there is much of them, so that this costs each input about the same.
const (
	memoryEvery = 64
	rowsEvery   = 1024
)

// look walks through what the replica holds every so often, which builds with deep
// invariants do after each input: what is wrong for long is seen here.
func (r *replica) look() {
	r.inputs++
	n := r.host.Node()
	if n == nil {
		return
	}
	if r.inputs >= r.memoryAt {
		n.Verify()
		r.memoryAt = r.inputs + max(memoryEvery, 4*remembers(n))
	}
	if r.inputs >= r.rowsAt {
		r.cell.keepsRules(r)
		r.rowsAt = r.inputs + max(rowsEvery, n.View().Len())
	}
}

// remembers is about how much a walk through a replica's memory meets.
func remembers(n *node.Node) int {
	m, d := n.Master(), n.Desk()
	return m.Sessions + m.Pending + m.Waiting + d.Handles + d.Waiting + d.UnderWay
}
