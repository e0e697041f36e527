package driver

import (
	"testing"

	"github.com/chubbycell/chubby/replica/core"
)

// A queue that stays as long as its memory is.
func BenchmarkABacklogThatStays(b *testing.B) {
	var f fifo[[64]byte]
	for f.len() < 1000 || f.len() < f.room() {
		f.add([64]byte{})
	}
	for b.Loop() {
		f.take()
		f.add([64]byte{})
	}
}

// The calls of a thousand clients, with one in turn each.
func BenchmarkTurns(b *testing.B) {
	t := newTurns[[64]byte](1 << 16)
	for from := range core.Addr(1000) {
		t.add(from, "ann", [64]byte{})
	}
	for n := 0; b.Loop(); n++ {
		t.take()
		t.add(core.Addr(n%1000), "ann", [64]byte{})
	}
}
