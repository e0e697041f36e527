package sim

// Shared returns the value that all code of one world shares under a key, for example a resource
// outside of the tested system, or knowledge that programs have in common. fresh makes it on the
// first call, and it ends with the world. Runs of other seeds, which may run at the same time, have
// values of their own. Keys are compared like map keys, including their type: use a type without
// fields of your own package; in the test of one program a string will do. Like all methods of a
// World, Shared is for simulated code and checkers.
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
