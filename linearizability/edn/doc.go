// Package edn is pure: it reads the extensible data notation (EDN) of Clojure programs, as far as histories use it. Its
// errors name the line.
//
// It reads nil, true, false, numbers, strings, characters, keywords, symbols, lists, vectors,
// maps, sets, tags, comments and discarded forms. A number keeps its digits; an integer
// of another base, such as 0x1f, gets decimal ones. It refuses a map that has a key
// twice, and a set that has an element twice.
//
// Reading order: value.go, canonical.go (when forms are equal), reader.go, text.go.
package edn
