package lock

import (
	"encoding/binary"
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Prefix begins the key of every row of this package, and of no other row.
const Prefix = "l"

// Family is the second byte of a key.
type Family byte

// The families of rows; see the package comment.
const (
	FamilyLock  Family = 'l'
	FamilyHold  Family = 'h'
	FamilyIndex Family = 's'
	FamilyDelay Family = 'd'
)

// Key is a key taken apart. Which fields count depends on the family.
type Key struct {
	Family Family
	Lock   api.Ref    // FamilyLock, FamilyHold, FamilyDelay
	Owner  Owner      // FamilyHold, FamilyIndex
	Freed  api.Number // FamilyDelay
}

// ParseKey takes a key of the db apart; ok is false for one that this package
// does not make.
func ParseKey(key string) (k Key, ok bool) {
	c := reader{s: key}
	if c.take(1) != Prefix {
		return Key{}, false
	}
	k.Family = Family(c.byte())
	switch k.Family {
	case FamilyLock:
		k.Lock = c.lock()
	case FamilyHold:
		k.Lock, k.Owner = c.lock(), c.owner()
	case FamilyIndex:
		k.Owner = c.owner()
	case FamilyDelay:
		k.Lock, k.Freed = c.lock(), api.Number(c.uint())
	default:
		return Key{}, false
	}
	return k, c.isDone()
}

// Words says what the row with this key is about, for reports.
func (k Key) Words() string {
	who := fmt.Sprintf("handle %v of session %d", k.Owner.Handle, k.Owner.Session)
	switch k.Family {
	case FamilyHold:
		return fmt.Sprintf("%s holds the lock of %v", who, k.Lock)
	case FamilyIndex:
		return fmt.Sprintf("%s holds a lock", who)
	case FamilyDelay:
		return fmt.Sprintf("the lock-delay of %v that command %d began", k.Lock, k.Freed)
	}
	return fmt.Sprintf("the lock of %v", k.Lock)
}

func keyPrefix(f Family) []byte { return []byte{Prefix[0], byte(f)} }

func lockKey(n api.Ref) string          { return string(appendLock(keyPrefix(FamilyLock), n)) }
func holdsOf(n api.Ref) string          { return string(appendLock(keyPrefix(FamilyHold), n)) }
func delaysOf(n api.Ref) string         { return string(appendLock(keyPrefix(FamilyDelay), n)) }
func holdKey(n api.Ref, o Owner) string { return string(appendOwner([]byte(holdsOf(n)), o)) }
func delayKey(n api.Ref, at api.Number) string {
	return string(appendUint([]byte(delaysOf(n)), uint64(at)))
}
func indexKey(o Owner) string { return string(appendOwner(keyPrefix(FamilyIndex), o)) }

func indexOf(s api.SessionID) string {
	return string(appendUint(keyPrefix(FamilyIndex), uint64(s)))
}

const (
	allLocks  = Prefix + string(rune(FamilyLock))
	allIndex  = Prefix + string(rune(FamilyIndex))
	allDelays = Prefix + string(rune(FamilyDelay))
)

func appendUint(dst []byte, x uint64) []byte { return binary.BigEndian.AppendUint64(dst, x) }

func appendLock(dst []byte, n api.Ref) []byte {
	dst = appendUint(dst, uint64(n.Instance))
	path := n.Path.String()
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(path)))
	return append(dst, path...)
}

func appendOwner(dst []byte, o Owner) []byte {
	dst = appendUint(dst, uint64(o.Session))
	dst = appendUint(dst, uint64(o.Handle.Epoch))
	return appendUint(dst, o.Handle.Counter)
}

// reader parses a key or a value from front to back. After the end it reads zeroes, and
// isDone reports false.
type reader struct {
	s   string
	bad bool
}

func (c *reader) take(n int) string {
	if len(c.s) < n {
		c.s, c.bad = "", true
		return ""
	}
	head := c.s[:n]
	c.s = c.s[n:]
	return head
}

func (c *reader) byte() byte {
	if b := c.take(1); b != "" {
		return b[0]
	}
	return 0
}

func (c *reader) uint() uint64 { return c.number(8) }

func (c *reader) number(size int) (x uint64) {
	for _, b := range []byte(c.take(size)) {
		x = x<<8 | uint64(b)
	}
	return x
}

func (c *reader) lock() api.Ref {
	instance := api.Instance(c.uint())
	return c.ref(instance, int(c.number(2)))
}

// ref reads the path of a node.
func (c *reader) ref(instance api.Instance, size int) api.Ref {
	path, err := api.ParsePath(c.take(size))
	if err != nil || instance == 0 {
		c.bad = true
	}
	return api.Ref{Path: path, Instance: instance}
}

func (c *reader) owner() Owner {
	return Owner{
		Session: api.SessionID(c.uint()),
		Handle:  api.HandleID{Epoch: api.Epoch(c.uint()), Counter: c.uint()},
	}
}

func (c *reader) isDone() bool { return !c.bad && c.s == "" }
