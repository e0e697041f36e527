package command

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/internal/versions"
	"github.com/chubbycell/chubby/replica/api"
)

// ErrUnknown is returned by CheckKnown, wrapped with the version, kind or operation.
var ErrUnknown = errors.New("unknown to this program")

// kinds are all kinds of commands.
var kinds = string([]byte{
	kindEpoch, kindCall, kindConstant, kindChecksum, kindNode, kindFound, kindExpire, kindFail, kindDelay, kindSweep,
	kindLease, kindConfirm, kindBackup, kindLimits,
})

// CheckKnown returns nil, or an error that wraps ErrUnknown, for the bytes of a command of a version,
// kind or operation that this program does not know. The master that proposed it runs another version
// of the program and executes it. A replica that cannot must not apply its slot, since its rows would
// differ from there on. Every other fault of a command is left to Apply, which refuses it at all
// replicas alike.
func CheckKnown(raw string) error {
	switch {
	case raw == "":
		return nil // malformed, and of no version
	case !isVersion(raw[0]):
		return fmt.Errorf("a command of version %d is %w, which has version %v", raw[0], ErrUnknown, versions.Range{Oldest: OldestVersion, Newest: NewestVersion})
	case len(raw) < 2:
		return nil // malformed
	case strings.IndexByte(kinds, raw[1]) < 0:
		return fmt.Errorf("a command of kind %q is %w", raw[1], ErrUnknown)
	case raw[1] == kindCall:
		if op, ok := operation(raw); ok && !api.IsOp(op) {
			return fmt.Errorf("operation %d of a command of kind %q is %w", op, raw[1], ErrUnknown)
		}
	case raw[1] == kindNode:
		if op, ok := operation(raw); ok && (op < tagOpenNode || op > tagFail) {
			return fmt.Errorf("operation %d of a command of kind %q is %w", op, raw[1], ErrUnknown)
		}
	}
	return nil
}

// operation returns the tag that follows version, kind, guard, session, seq and acked; ok is false if
// there is none.
func operation(raw string) (tag byte, ok bool) {
	at := 2
	for range 4 {
		_, n := binary.Uvarint([]byte(raw[at:])) // makes no copy
		if n <= 0 {
			return 0, false
		}
		at += n
	}
	if at == len(raw) {
		return 0, false
	}
	return raw[at], true
}
