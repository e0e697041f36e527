package cell

// Every so many inputs of a replica its memory is walked through, and its rows.
const (
	memoryEvery = 16
	rowsEvery   = 1024
)

// look walks through what the replica holds every so often, which builds with deep
// invariants do after each input: what is wrong for long is seen here.
func (r *replica) look() {
	r.inputs++
	if n := r.host.Node(); n != nil && r.inputs%memoryEvery == 0 {
		n.Verify()
	}
	if r.inputs%rowsEvery == 0 {
		r.cell.keepsRules(r)
	}
}
