package tree

import (
	"strings"

	"github.com/chubbycell/chubby/replica/api"
)

// Family is the first byte of a key.
type Family byte

// The families of rows; see the package comment. No other package's rows begin with these
// bytes. A byte is never used for another family.
const (
	FamilyNode      Family = 't'
	FamilyContents  Family = 'b'
	FamilyEphemeral Family = 'i'
	FamilyUsage     Family = 'p'
	FamilyLimits    Family = 'q'
)

// Key is a key taken apart. Which fields count depends on the family.
type Key struct {
	Family    Family
	Path      api.Path      // FamilyNode, FamilyContents, FamilyEphemeral
	Principal api.Principal // FamilyUsage
}

// ParseKey takes a key of the db apart; ok is false for one that this package
// does not make.
func ParseKey(key string) (k Key, ok bool) {
	if key == "" {
		return Key{}, false
	}
	k.Family = Family(key[0])
	rest := key[1:]
	switch k.Family {
	case FamilyNode, FamilyContents, FamilyEphemeral:
		k.Path, ok = parsePathKey(rest)
	case FamilyUsage:
		k.Principal = api.Principal(rest)
		ok = k.Principal.Check() == api.OK
	case FamilyLimits:
		ok = rest == ""
	}
	return k, ok
}

// Encode is the key that ParseKey takes apart.
func (k Key) Encode() string {
	switch k.Family {
	case FamilyNode, FamilyContents, FamilyEphemeral:
		return pathKey(k.Family, k.Path.Depth(), k.Path.String()[1:])
	case FamilyUsage:
		return string(rune(k.Family)) + string(k.Principal)
	}
	return string(rune(k.Family))
}

func parsePathKey(rest string) (p api.Path, ok bool) {
	if rest == "" {
		return p, false
	}
	p, err := api.ParsePath("/" + rest[1:])
	return p, err == nil && p.Depth() == int(rest[0])
}

const limitsKey = string(rune(FamilyLimits))

func nodeKey(p api.Path) string       { return Key{Family: FamilyNode, Path: p}.Encode() }
func contentsKey(p api.Path) string   { return Key{Family: FamilyContents, Path: p}.Encode() }
func ephemeralKey(p api.Path) string  { return Key{Family: FamilyEphemeral, Path: p}.Encode() }
func usageKey(p api.Principal) string { return Key{Family: FamilyUsage, Principal: p}.Encode() }

// childrenOf begins the key of every child of the directory p, and no other key.
// A name appended to it is the key of the child.
func childrenOf(p api.Path) string {
	if p.IsRoot() {
		return pathKey(FamilyNode, 1, "")
	}
	return pathKey(FamilyNode, p.Depth()+1, p.String()[1:]+"/")
}

func pathKey(f Family, depth int, path string) string {
	var b strings.Builder
	b.Grow(2 + len(path))
	b.WriteByte(byte(f))
	b.WriteByte(byte(depth))
	b.WriteString(path)
	return b.String()
}
