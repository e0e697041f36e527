package sim

// Shared is a value that all code of one world shares under a key: a resource outside of the system that is tested, or what programs
// agree about by themselves. It is made when it is first asked for, and goes with the world; runs of other
// seeds, which go on beside this one, have values of their own. A key is compared as one of a map, type included: a type
// without fields of the package that asks will do. Like all methods of a World it is for simulated code and checkers.
func Shared[T any](w *World, key any, fresh func() T) T {
	if v, ok := w.shared[key]; ok {
		return v.(T)
	}
	if w.shared == nil {
		w.shared = map[any]any{}
	}
	v := fresh()
	w.shared[key] = v
	return v
}
