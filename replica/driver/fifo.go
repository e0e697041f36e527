package driver

// fifo holds items, the oldest first. It keeps nothing of what was taken. The zero fifo is empty.
type fifo[T any] struct {
	items []T
	head  int // of the oldest
}

func (f *fifo[T]) len() int { return len(f.items) - f.head }

// room is for how many items f has memory.
func (f *fifo[T]) room() int { return cap(f.items) }

func (f *fifo[T]) add(x T) {
	if 2*f.head > len(f.items) && len(f.items) == cap(f.items) {
		n := copy(f.items, f.items[f.head:])
		clear(f.items[n:])
		f.items, f.head = f.items[:n], 0
	}
	f.items = append(f.items, x)
}

func (f *fifo[T]) take() T {
	var none T
	x := f.items[f.head]
	f.items[f.head] = none
	f.head++
	if f.head == len(f.items) {
		f.items, f.head = f.items[:0], 0
	}
	return x
}
