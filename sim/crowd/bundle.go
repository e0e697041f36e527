package crowd

import (
	"encoding/binary"

	"github.com/chubbycell/chubby/replica/core"
)

// bundle is messages of several sessions between two machines.
type bundle []byte

// add appends a message of the session with this number.
func (f *bundle) add(session int, msg []byte) {
	*f = binary.AppendUvarint(*f, uint64(session))
	*f = binary.AppendUvarint(*f, uint64(len(msg)))
	*f = append(*f, msg...)
}

// each calls do with every message of a bundle, in order.
func (f bundle) each(do func(session int, msg []byte)) {
	for len(f) > 0 {
		session, n := binary.Uvarint(f)
		size, m := binary.Uvarint(f[n:])
		f = f[n+m:]
		do(int(session), f[:size])
		f = f[size:]
	}
}

// firstSession is the address of the first session's client, as replicas have it: above
// those of all machines.
const firstSession core.Addr = 1 << 32
