package shrink

// without is a list without the part from i on of length n, or to its end.
func without[T any](all []T, i, n int) []T {
	return append(append([]T{}, all[:i]...), all[min(i+n, len(all)):]...)
}

// last is the end of a list.
func last[T any](all []T, n int) []T { return all[len(all)-min(n, len(all)):] }

// Minimize is delta debugging: it returns a part of a list that will do, of which, if there was time, no element can be
// spared. does says whether a part does; all must do.
func Minimize[T any](all []T, does func(part []T) bool) []T {
	return minimize(all, func(n int, list func(i int) []T) (int, bool) {
		for i := range n {
			if does(list(i)) {
				return i, true
			}
		}
		return 0, false
	})
}

// minimize is delta debugging: it leaves parts of a list out, large ones first, and then
// single elements until none can be spared. first is given lists in order of preference, by
// their number, and returns the first that will do, or false. What it found will do is
// found again by no further call.
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

// shortest is the shortest end of a list that will do, of those that are tried: what broke
// something has mostly come shortly before.
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
