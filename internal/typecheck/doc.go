// Package typecheck is test support: it says whether the module would compile with some
// files changed, without compiling it.
//
// The lists of planted bugs and of changes of the contract have hundreds of small changes.
// The go command would compile them for an hour. This package finds the types of all
// packages of the module once, and then again only those of the packages whose files are
// changed. Packages that import one of these are looked at only if it shows something else
// than before.
//
// What it finds is what the compiler reports of a program that can be parsed: package
// go/types has the same rules. Files that this platform's build leaves out, as by a build
// tag, are not known. There is no cgo in the module.
//
// Reading order: module.go (the tree as it stands), change.go (with files changed).
package typecheck
