package rows

import (
	"encoding/binary"

	"github.com/chubbycell/chubby/replica/api"
)

// Family is the first byte of a key.
type Family byte

// The families of rows; see the package comment. A byte is never used for another family.
const (
	FamilyTotals   Family = 'n'
	FamilyEpoch    Family = 'e'
	FamilySession  Family = 's'
	FamilyOpener   Family = 'o'
	FamilyAnswer   Family = 'd'
	FamilyConstant Family = 'c'
	FamilySecret   Family = 'h'
	FamilyLease    Family = 'm'
	FamilyBackup   Family = 'k'
	FamilyAlive    Family = 'a'
	FamilyUser     Family = 'u'
)

// systemFamilies are all families but the users'.
var systemFamilies = [...]Family{FamilyTotals, FamilyEpoch, FamilySession, FamilyOpener, FamilyAnswer,
	FamilyConstant, FamilySecret, FamilyLease, FamilyBackup, FamilyAlive}

// Key is a key taken apart. Which fields count depends on the family.
type Key struct {
	Family    Family
	Session   api.SessionID // FamilySession, FamilyAnswer
	Seq       api.Seq       // FamilyAnswer
	Nonce     api.Nonce     // FamilyOpener
	Principal api.Principal // FamilyOpener
	Name      string        // FamilyConstant, FamilyUser
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
	case FamilyTotals, FamilyEpoch, FamilySecret, FamilyLease, FamilyBackup, FamilyAlive:
		return k, rest == ""
	case FamilySession:
		k.Session = api.SessionID(number(rest, 0))
		return k, len(rest) == 8
	case FamilyOpener:
		k.Nonce = api.Nonce{number(rest, 0), number(rest, 8)}
		k.Principal = api.Principal(rest[min(16, len(rest)):])
		return k, len(rest) >= 16
	case FamilyAnswer:
		k.Session, k.Seq = api.SessionID(number(rest, 0)), api.Seq(number(rest, 8))
		return k, len(rest) == 16
	case FamilyConstant, FamilyUser:
		k.Name = rest
		return k, true
	}
	return k, false
}

// number reads 8 bytes of s, or 0 where they are not there.
func number(s string, at int) uint64 {
	if len(s) < at+8 {
		return 0
	}
	b := s[at : at+8]
	return uint64(b[0])<<56 | uint64(b[1])<<48 | uint64(b[2])<<40 | uint64(b[3])<<32 |
		uint64(b[4])<<24 | uint64(b[5])<<16 | uint64(b[6])<<8 | uint64(b[7]) // one load
}

const (
	totalsKey = string(rune(FamilyTotals))
	epochKey  = string(rune(FamilyEpoch))
	secretKey = string(rune(FamilySecret))
	leaseKey  = string(rune(FamilyLease))
	backupKey = string(rune(FamilyBackup))
	aliveKey  = string(rune(FamilyAlive))
)

func sessionKey(id api.SessionID) string { return numbers(FamilySession, uint64(id)) }

// openerKey has the principal behind the nonce: a principal that uses the nonce of another
// does not get that one's session.
func openerKey(n api.Nonce, who api.Principal) string {
	return numbers(FamilyOpener, n[0], n[1]) + string(who)
}

func answerKey(id api.SessionID, seq api.Seq) string {
	return numbers(FamilyAnswer, uint64(id), uint64(seq))
}

// answersOf begins the key of every answer of a session, and no other key.
func answersOf(id api.SessionID) string { return numbers(FamilyAnswer, uint64(id)) }

func constantKey(name string) string { return string(rune(FamilyConstant)) + name }

// UserRow is the db key of the user row key, and a copy of its value. Both share one new
// piece of memory.
func UserRow(key, value string) (at, copied string) {
	row := string(rune(FamilyUser)) + key + value
	return row[:1+len(key)], row[1+len(key):]
}

// UserKey is the db key of the user row key.
func UserKey(key string) string { return string(rune(FamilyUser)) + key }

func numbers(f Family, ns ...uint64) string {
	var room [17]byte
	return string(appendNumbers(room[:0], f, ns...))
}

func appendNumbers(b []byte, f Family, ns ...uint64) []byte {
	b = append(b, byte(f))
	for _, n := range ns {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return b
}
