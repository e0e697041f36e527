package api

import (
	"fmt"

	"github.com/chubbycell/chubby/internal/versions"
)

// The versions of the format of messages that this program knows, from the oldest to the newest one. It makes messages of
// the newest one, and reads all of them. A client and a replica talk in the highest version that both know: the transport
// translates what it sends to a program that does not know the newest one (Translate). A version that is added, and one
// that is not known any more, need a note in docs/running.md, Upgrade.
const (
	OldestVersion byte = 5
	NewestVersion byte = 5
)

// messages are the versions of the format of messages.
var messages = versions.Range{Oldest: OldestVersion, Newest: NewestVersion}

// unknownVersion is the error for a version that is not among those known.
func unknownVersion(v byte, known versions.Range) error {
	return fmt.Errorf("%w %d (this program knows %v)", ErrVersion, v, known)
}

// CheckVersion returns ErrVersion if b begins with a version of the format of messages that this program does not know. b
// may be any bytes; of those that are no message for another reason it says nothing.
func CheckVersion(b []byte) error {
	if len(b) > 0 && !messages.Has(b[0]) {
		return unknownVersion(b[0], messages)
	}
	return nil
}

// Translate returns a message, a request or a reply of any version that this program knows, in another one. It does not
// write to msg, and returns msg itself if that has the version already. The error is that of a decoder, or ErrVersion for
// a version that this program does not know.
func Translate(msg []byte, to byte) ([]byte, error) {
	switch {
	case len(msg) > 0 && msg[0] == to:
		return msg, nil
	case !messages.Has(to):
		return nil, unknownVersion(to, messages)
	case len(msg) > 1 && msg[1] == kindReply:
		p, err := DecodeReply(msg)
		if err != nil {
			return nil, err
		}
		return appendReply(nil, to, p), nil
	}
	q, err := DecodeRequest(msg)
	if err != nil {
		return nil, err
	}
	return appendRequest(nil, to, q), nil
}
