package handle

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"

	"github.com/chubbycell/chubby/replica/api"
)

// Secret is the key of the check digits of a cell's tokens. The caller has drawn it from a strong
// random source. It stands in a row, so that all masters of the cell have the same, and is used for
// nothing else.
type Secret [32]byte

// ErrSecret is returned by NewSealer for a secret that is all zeroes, which was never drawn.
var ErrSecret = errors.New("handle: the secret is all zeroes")

// Sealer makes tokens and checks them. The zero Sealer accepts no token, not even its own. Copies share
// memory: one goroutine owns them all.
type Sealer struct {
	secret Secret
	digits *digester // nil in the zero Sealer
}

// digester computes check digits. Each call by handle needs them, so it keeps the keyed hash and the
// memory for input and output.
type digester struct {
	mac  hash.Hash
	body []byte
	sum  [digits]byte
}

func newDigester(secret Secret) *digester { return &digester{mac: hmac.New(sha256.New, secret[:])} }

// NewSealer returns the Sealer of a secret.
func NewSealer(secret Secret) (Sealer, error) {
	if secret == (Secret{}) {
		return Sealer{}, ErrSecret
	}
	return Sealer{secret, newDigester(secret)}, nil
}

const (
	bare       byte = 1 // the version of a token that has neither Tie nor Events
	tied       byte = 2 // the version of a token that has a Tie, and no Events
	watching   byte = 3 // the version of a token that has Events
	kind       byte = 'H'
	digits          = sha256.Size
	fixed           = 2 + 4*8 + 3 + 4 // bytes before the first string
	flagOfNode byte = 1               // the node is ephemeral
	tieSize         = 2 * 8           // bytes of a tie, which follows the last string
)

// Seal makes the token of h, which must be Valid.
func (s Sealer) Seal(h Handle) api.Token {
	b := make([]byte, 0, 256)
	b = append(b, versionOf(h), kind)
	for _, x := range []uint64{uint64(h.ID.Epoch), h.ID.Counter, uint64(h.Session), uint64(h.Node.Instance)} {
		b = binary.BigEndian.AppendUint64(b, x)
	}
	flags := byte(0)
	if h.Ephemeral {
		flags = flagOfNode
	}
	b = append(b, byte(h.Kind), flags, byte(h.Rights))
	b = binary.BigEndian.AppendUint32(b, uint32(h.Delay))
	b = appendString(b, h.Node.Path.String())
	fence := ""
	if h.Fence.Valid() {
		fence = h.Fence.Encode()
	}
	b = appendString(b, fence)
	if b[0] >= tied {
		b = binary.BigEndian.AppendUint64(b, uint64(h.Tie.Epoch))
		b = binary.BigEndian.AppendUint64(b, h.Tie.Counter)
	}
	if b[0] >= watching {
		b = append(b, byte(h.Events))
	}
	return api.Token(append(b, s.digester().check(b)...))
}

func versionOf(h Handle) byte {
	switch {
	case h.Events != 0:
		return watching
	case h.Tie != (Tie{}):
		return tied
	}
	return bare
}

// Unseal is the inverse of Seal. It returns Good with the handle, or Malformed, or Forged. It does not
// know whether the handle is open.
func (s Sealer) Unseal(t api.Token) (Handle, Verdict) {
	if len(t) > api.MaxToken || len(t) < digits {
		return Handle{}, Malformed
	}
	d := s.digester()
	d.body = append(d.body[:0], t[:len(t)-digits]...)
	h, ok := decode(d.body)
	if !ok {
		return Handle{}, Malformed
	}
	if s == (Sealer{}) || !hmac.Equal([]byte(t[len(d.body):]), d.check(d.body)) {
		return Handle{}, Forged
	}
	return h, Good
}

// check computes the check digits of the bytes in front of them. The next call overwrites its result.
func (d *digester) check(body []byte) []byte {
	d.mac.Reset()
	d.mac.Write(body)
	return d.mac.Sum(d.sum[:0])
}

func (s Sealer) digester() *digester {
	if s.digits == nil {
		return newDigester(s.secret)
	}
	return s.digits
}

func appendString(dst []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint16(dst, uint16(len(s))), s...)
}

// decode reads the bytes in front of the check digits. It refuses bytes that are cut short, since the
// lengths in them say where the end is.
func decode(b []byte) (h Handle, ok bool) {
	if len(b) < fixed || b[0] < bare || b[0] > watching || b[1] != kind {
		return Handle{}, false
	}
	n := func(at int) uint64 { return binary.BigEndian.Uint64(b[at:]) }
	h.ID = api.HandleID{Epoch: api.Epoch(n(2)), Counter: n(10)}
	h.Session, h.Node.Instance = api.SessionID(n(18)), api.Instance(n(26))
	h.Kind, h.Ephemeral, h.Rights = api.NodeKind(b[34]), b[35] == flagOfNode, api.Rights(b[36])
	h.Delay = api.LockDelay(binary.BigEndian.Uint32(b[37:]))
	if b[35]&^flagOfNode != 0 {
		return Handle{}, false
	}
	path, rest, ok := cutString(b[fixed:])
	if !ok {
		return Handle{}, false
	}
	fence, rest, ok := cutString(rest)
	if !ok {
		return Handle{}, false
	}
	if len(rest) >= tieSize {
		h.Tie = Tie{api.Epoch(binary.BigEndian.Uint64(rest)), binary.BigEndian.Uint64(rest[8:])}
		rest = rest[tieSize:]
	}
	if b[0] == watching && len(rest) == 1 {
		h.Events, rest = api.EventMask(rest[0]), nil
	}
	if len(rest) > 0 || b[0] != versionOf(h) {
		return Handle{}, false
	}
	var err, other error
	h.Node.Path, err = api.ParsePath(path)
	if fence != "" {
		h.Fence, other = api.ParseSequencer(fence)
	}
	return h, err == nil && other == nil && h.Valid()
}

func cutString(b []byte) (s string, rest []byte, ok bool) {
	if len(b) < 2 {
		return "", nil, false
	}
	n := 2 + int(binary.BigEndian.Uint16(b))
	if len(b) < n {
		return "", nil, false
	}
	return string(b[2:n]), b[n:], true
}
