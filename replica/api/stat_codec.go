package api

import "encoding/binary"

// AppendPath appends the bytes of p to dst.
func AppendPath(dst []byte, p Path) []byte { return appendString(dst, p.String()) }

// DecodePath decodes the path at the beginning of s and returns the rest of s. The path is a part
// of s.
func DecodePath(s string) (p Path, rest string, err error) {
	c := cursor{s: s}
	p = c.path()
	if c.err != nil {
		return Path{}, "", c.err
	}
	return p, s[c.at:], nil
}

func (c *cursor) path() Path {
	p, err := ParsePath(c.string())
	if err != nil {
		c.fail("%v", err)
	}
	return p
}

// AppendStat appends the bytes of s to dst.
func AppendStat(dst []byte, s Stat) []byte {
	dst = appendFlag(append(dst, byte(s.Kind)), s.Ephemeral)
	for _, x := range [...]uint64{uint64(s.Instance), uint64(s.Content), uint64(s.Lock), uint64(s.ACL),
		s.Length, uint64(s.Checksum), s.Children} {
		dst = binary.AppendUvarint(dst, x)
	}
	return AppendACLNames(dst, s.Names)
}

// AppendACLNames appends the bytes of n to dst.
func AppendACLNames(dst []byte, n ACLNames) []byte {
	return appendString(appendString(appendString(dst, string(n.Read)), string(n.Write)), string(n.Change))
}

func (c *cursor) aclNames() ACLNames {
	return ACLNames{Read: ACLName(c.string()), Write: ACLName(c.string()), Change: ACLName(c.string())}
}

// DecodeStat decodes the metadata at the beginning of s and returns the rest of s. It refuses
// impossible metadata: a directory with contents, a file with children, generations of 0, invalid
// ACL names. Its strings are parts of s.
func DecodeStat(s string) (stat Stat, rest string, err error) {
	c := cursor{s: s}
	stat = c.stat()
	if c.err != nil {
		return Stat{}, "", c.err
	}
	return stat, s[c.at:], nil
}

func (c *cursor) stat() Stat {
	s := Stat{Kind: NodeKind(c.byte()), Ephemeral: c.flag()}
	s.Instance, s.Content, s.Lock, s.ACL = Instance(c.uint()), ContentGen(c.uint()), LockGen(c.uint()), ACLGen(c.uint())
	s.Length, s.Checksum, s.Children = c.uint(), Checksum(c.uint()), c.uint()
	s.Names = c.aclNames()
	if why := s.fault(); why != "" {
		c.fail("%s", why)
	}
	return s
}

// minChild is the size of the shortest encoded child: its name, kind, flag, seven numbers and three
// names.
const minChild = 2 + 1 + 1 + 7 + 3*2

// AppendChildren appends the bytes of children, ascending by name, to dst.
func AppendChildren(dst []byte, children []Child) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(children)))
	for _, c := range children {
		dst = appendChild(dst, c)
	}
	return dst
}

func appendChild(dst []byte, c Child) []byte { return AppendStat(appendString(dst, c.Name), c.Stat) }

// DecodeChildren decodes the children at the beginning of s and returns the rest of s. It refuses
// invalid names, and names that do not ascend. If there are no children, the slice is nil. Its
// strings are parts of s.
func DecodeChildren(s string) (children []Child, rest string, err error) {
	c := cursor{s: s}
	children = c.children()
	if c.err != nil {
		return nil, "", c.err
	}
	return children, s[c.at:], nil
}

func (c *cursor) children() (children []Child) {
	n := c.count(minChild)
	if n > MaxListPairs {
		c.fail("%d children", n)
	}
	last := ""
	for range n {
		child := Child{Name: c.string(), Stat: c.stat()}
		if CheckComponent(child.Name) != OK || child.Name <= last {
			c.fail("child %.40q after %.40q", child.Name, last)
		}
		if c.err != nil {
			return nil
		}
		children, last = append(children, child), child.Name
	}
	return children
}
