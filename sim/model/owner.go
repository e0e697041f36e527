package model

import (
	"cmp"
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Owner is the owner of a lock: a handle of a session.
type Owner struct {
	Session api.SessionID
	Handle  api.HandleID
}

func (o Owner) String() string { return fmt.Sprintf("handle %v of session %d", o.Handle, o.Session) }

// Compare orders owners by session, then by handle.
func (o Owner) Compare(p Owner) int {
	return cmp.Or(cmp.Compare(o.Session, p.Session), o.Handle.Compare(p.Handle))
}
