// Package edn is pure: it reads the extensible data notation, in which programs of Clojure write
// their data, as far as histories use it, and names the line of what it cannot read.
//
// It reads nil, true, false, numbers, strings, characters, keywords, symbols, lists, vectors,
// maps, sets, tags, comments and discarded forms. A number keeps its digits. A map with a key
// twice is refused, as is a set with an element twice.
//
// Reading order: value.go, canonical.go (when forms are equal), reader.go, text.go.
package edn
