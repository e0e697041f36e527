package snapshot_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

const dir = "node/snap"

// tester is implemented by *testing.T and *rapid.T.
type tester interface {
	require.TestingT
	Helper()
	Fatalf(string, ...any)
}

// doc is a snapshot: handle and body.
type doc struct {
	h    snapshot.Handle
	body string
}

// newDoc makes a snapshot whose contents follow from slot and salt; no two salts
// have a common chunk.
func newDoc(slot, salt uint64, size int) doc {
	unit := fmt.Sprintf("<%d.%d>", slot, salt)
	return doc{
		h: snapshot.Handle{
			Slot:    snapshot.Slot(slot),
			Ballot:  snapshot.Ballot{Round: slot/2 + salt, Node: snapshot.NodeID(salt % 3)},
			Members: []snapshot.NodeID{1, 2, 3, snapshot.NodeID(slot + 4)},
			Epoch:   snapshot.Epoch(salt),
		},
		body: strings.Repeat(unit, size/len(unit)+1)[:size],
	}
}

func (d doc) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, d.body)
	return err
}

func (d doc) equal(o doc) bool { return d.h.Equal(o.h) && d.body == o.body }

// twin is a simple model of the store: lists of the snapshots that were begun, and of those that
// were confirmed.
type twin struct {
	tried  []doc           // all that was ever begun
	good   []doc           // confirmed, ascending by slot
	rotten []snapshot.Slot // confirmed, and spoiled since
	rotted []snapshot.Slot // ever spoiled: a removed file may come back
	mayGo  []snapshot.Slot // a prune of these was begun
}

func bySlot(a, b doc) int { return cmp.Compare(a.h.Slot, b.h.Slot) }

func (w *twin) latest() snapshot.Slot {
	if len(w.good) == 0 {
		return 0
	}
	return w.good[len(w.good)-1].h.Slot
}

func (w *twin) publish(d doc) {
	w.good = append(w.good, d)
	w.rotten = without(w.rotten, d.h.Slot)
}

func without(slots []snapshot.Slot, gone ...snapshot.Slot) []snapshot.Slot {
	return slices.DeleteFunc(slots, func(s snapshot.Slot) bool { return slices.Contains(gone, s) })
}

func (w *twin) forget(slots []snapshot.Slot) {
	w.good = slices.DeleteFunc(w.good, func(d doc) bool { return slices.Contains(slots, d.h.Slot) })
	w.rotten = without(w.rotten, slots...)
}

func (w *twin) write(s *snapshot.Store, d doc) error {
	w.tried = append(w.tried, d)
	if _, err := s.Write(d.h, d.writeTo); err != nil {
		return err
	}
	w.publish(d)
	return nil
}

// install writes d in another store and installs it in pieces of n bytes.
func (w *twin) install(s *snapshot.Store, d doc, n int) error {
	w.tried = append(w.tried, d)
	peer, _, err := snapshot.Open(vfs.NewMem(), dir, snapshot.Options{ChunkSize: 90})
	if err != nil {
		return err
	}
	id, err := peer.Write(d.h, d.writeTo)
	if err != nil {
		return err
	}
	in, err := s.Install(id)
	for err == nil && in.Offset() < id.Size {
		var piece []byte
		if piece, err = peer.ReadChunk(id, in.Offset(), n); err == nil {
			err = in.Put(id, in.Offset(), piece)
		}
	}
	if err == nil {
		_, err = in.Commit()
	}
	if err != nil {
		return err
	}
	w.publish(d)
	return nil
}

func (w *twin) prune(s *snapshot.Store, keep int) error {
	var want []snapshot.Slot
	if len(w.good) >= keep {
		floor := w.good[len(w.good)-keep].h.Slot
		for _, d := range w.good {
			want = append(want, d.h.Slot)
		}
		want = slices.DeleteFunc(append(want, w.rotten...), func(s snapshot.Slot) bool { return s >= floor })
		slices.Sort(want)
	}
	w.mayGo = append(w.mayGo, want...)
	removed, err := s.Prune()
	w.forget(removed)
	if err != nil {
		return err
	}
	if !slices.Equal(want, removed) {
		return fmt.Errorf("pruned %v, not %v", removed, want)
	}
	return nil
}

// open opens the store and compares it with the twin: all that was confirmed is
// there, whole, and what else is there was tried, and is whole too.
func (w *twin) open(t tester, m *vfs.Mem, o snapshot.Options) *snapshot.Store {
	t.Helper()
	s, r, err := snapshot.Open(m, dir, o)
	require.NoError(t, err)
	w.recovered(t, s, r)
	return s
}

func (w *twin) recovered(t tester, s *snapshot.Store, r snapshot.Report) {
	t.Helper()
	found := w.found(t, s)
	for _, d := range w.good {
		if !slices.Contains(w.mayGo, d.h.Slot) && !slices.ContainsFunc(found, d.equal) {
			t.Fatalf("%v was confirmed and is gone; there is %v", d.h, r.Good)
		}
	}
	var bad []snapshot.Slot
	for _, b := range r.Bad {
		require.ErrorIs(t, b.Err, snapshot.ErrDamaged)
		require.Contains(t, w.rotted, b.Slot)
		bad = append(bad, b.Slot)
	}
	for _, slot := range w.rotten {
		replaced := slices.ContainsFunc(found, func(d doc) bool { return d.h.Slot == slot })
		if !replaced && !slices.Contains(w.mayGo, slot) {
			require.Contains(t, bad, slot)
		}
	}
	w.good, w.rotten, w.mayGo = found, bad, nil
	for _, f := range r.Removed {
		require.True(t, strings.HasSuffix(f, ".tmp"), f)
	}
}

// found loads all good snapshots.
func (w *twin) found(t tester, s *snapshot.Store) []doc {
	t.Helper()
	var all []doc
	for _, id := range s.List() {
		d, err := load(s, id.Handle)
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(w.tried, d.equal), "a mixture: %v %.50s", d.h, d.body)
		all = append(all, d)
	}
	require.True(t, slices.IsSortedFunc(all, bySlot))
	if last, ok := s.Latest(); ok {
		require.Equal(t, all[len(all)-1].h, last.Handle)
	} else {
		require.Empty(t, all)
	}
	return all
}

func load(s *snapshot.Store, h snapshot.Handle) (doc, error) {
	var b bytes.Buffer
	err := s.Load(h, func(r io.Reader) error {
		_, err := b.ReadFrom(r)
		return err
	})
	return doc{h, b.String()}, err
}

// file is the name of a slot's file.
func file(slot uint64) string { return fmt.Sprintf("%s/%020d.snap", dir, slot) }
