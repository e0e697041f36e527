package driver

import "testing"

// A queue that stays as long as its memory is.
func BenchmarkABacklogThatStays(b *testing.B) {
	l := newLine[[64]byte](1 << 16)
	for len(l.items) < 1000 || len(l.items) < cap(l.items) {
		l.add(1, false, [64]byte{})
	}
	for b.Loop() {
		l.take()
		l.add(1, false, [64]byte{})
	}
}
