package shrink

// without returns a copy of a list without the n elements from i on, or without all from i on if there are fewer.
func without[T any](all []T, i, n int) []T {
	return append(append([]T{}, all[:i]...), all[min(i+n, len(all)):]...)
}

// last returns the last n elements of a list, or all of them.
func last[T any](all []T, n int) []T { return all[len(all)-min(n, len(all)):] }

// Minimize is delta debugging. It returns a part of a list that still fails, in the order of the list. fails reports
// whether a part fails; the whole list must fail. Unless fails begins to return false for everything, for example
// because time is up, no single element of the result can be left out.
func Minimize[T any](all []T, fails func(part []T) bool) []T {
	return minimize(all, func(n int, list func(i int) []T) (int, bool) {
		for i := range n {
			if fails(list(i)) {
				return i, true
			}
		}
		return 0, false
	})
}

// minimize is delta debugging: it leaves out parts of a list, large ones first, and then single elements until none can
// be left out. first gets n candidates, the preferred ones first, and returns the number of the first that still fails,
// or false. minimize never passes the same list to it again after it was found to fail.
func minimize[T any](all []T, first func(n int, list func(i int) []T) (int, bool)) []T {
	all = shortest(all, first)
	for size := (len(all) + 1) / 2; len(all) > 0 && size > 0; {
		at, spared := 0, false
		for at < len(all) {
			from := at
			n := (len(all) - from + size - 1) / size
			i, ok := first(n, func(i int) []T { return without(all, from+i*size, size) })
			if !ok {
				break
			}
			all, at, spared = without(all, from+i*size, size), from+i*size, true
		}
		switch {
		case size > 1:
			size = min((size+1)/2, size-1, max(1, len(all)/2))
		case !spared:
			size = 0
		}
	}
	return all
}

// shortest returns the shortest of some ends of the list that still fails, or the whole list. Most breaks come from the
// last faults before them.
func shortest[T any](all []T, first func(n int, list func(i int) []T) (int, bool)) []T {
	var sizes []int
	for n := 0; n < len(all); n = max(1, 2*n) {
		sizes = append(sizes, n)
	}
	if i, ok := first(len(sizes), func(i int) []T { return last(all, sizes[i]) }); ok {
		return last(all, sizes[i])
	}
	return all
}
