//go:build !deep && !race

package invariant

// Deep says that checks which walk whole structures run too. They are on under
// the build tags deep and race, so that production pays nothing for them.
const Deep = false
