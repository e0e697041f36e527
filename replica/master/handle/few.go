package handle

import (
	"cmp"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// The handles and calls of one session are kept in sorted slices: most sessions have a handle or two,
// and a map of one element is larger than everything else that the table knows of them.

// openHandles are the open handles of a session, by id.
type openHandles []*entry

func (x openHandles) find(id api.HandleID) (int, bool) {
	return slices.BinarySearchFunc(x, id, func(e *entry, id api.HandleID) int { return e.ID.Compare(id) })
}

// get returns an open handle; nil if there is none.
func (x openHandles) get(id api.HandleID) *entry {
	if i, ok := x.find(id); ok {
		return x[i]
	}
	return nil
}

func (x *openHandles) put(e *entry) {
	i, ok := x.find(e.ID)
	if ok {
		(*x)[i] = e
		return
	}
	*x = slices.Insert(*x, i, e)
}

func (x *openHandles) remove(id api.HandleID) {
	if i, ok := x.find(id); ok {
		*x = slices.Delete(*x, i, i+1)
	}
}

// givenOut says which handle an Open gave out.
type givenOut struct {
	seq api.Seq
	id  api.HandleID
}

// givenOuts holds the givenOut of each Open of a session, by Seq.
type givenOuts []givenOut

func (x givenOuts) find(seq api.Seq) (int, bool) {
	return slices.BinarySearchFunc(x, seq, func(g givenOut, seq api.Seq) int { return cmp.Compare(g.seq, seq) })
}

func (x givenOuts) get(seq api.Seq) (id api.HandleID, ok bool) {
	i, ok := x.find(seq)
	if ok {
		id = x[i].id
	}
	return id, ok
}

// put adds a givenOut whose Seq is not in x.
func (x *givenOuts) put(g givenOut) {
	i, _ := x.find(g.seq)
	*x = slices.Insert(*x, i, g)
}

// dropThrough removes the calls up to seq.
func (x *givenOuts) dropThrough(seq api.Seq) {
	i, ok := x.find(seq)
	if ok {
		i++
	}
	if *x = slices.Delete(*x, 0, i); len(*x) == 0 {
		*x = nil
	}
}
