package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/rows"
)

// Footprint names the rows that a command may change, whatever the rows are.
// Every command may change the command counter. What a cache must invalidate
// before a command is proposed is its User row.
type Footprint struct {
	Epoch    bool          // the epoch row
	Constant string        // this constant
	Opens    bool          // the session that the command opens, with this nonce
	Nonce    api.Nonce     // of Opens
	Session  api.SessionID // this session and its answers
	Ends     bool          // the opener of Session too
	User     string        // this user row
}

// Touches says what c may change; nil, like what a refused command may.
func Touches(c Command) Footprint {
	switch c := c.(type) {
	case Epoch:
		return Footprint{Epoch: true}
	case Constant:
		return Footprint{Constant: c.Name}
	case Call:
		return touchesCall(c)
	}
	return Footprint{}
}

func touchesCall(c Call) Footprint {
	f := Footprint{Session: c.Session}
	switch op := c.Op.(type) {
	case api.OpenSession:
		f.Opens, f.Nonce = true, op.Nonce
	case api.EndSession:
		f.Ends = true
	case api.Put:
		f.User = op.Key
	case api.Delete:
		f.User = op.Key
	case api.CompareAndSet:
		f.User = op.Key
	}
	return f
}

// Covers says whether the command with this number and footprint may change the
// row of the db with this key.
func (f Footprint) Covers(key string, number api.Number) bool {
	k, ok := rows.ParseKey(key)
	if !ok {
		return false
	}
	switch k.Family {
	case rows.FamilyTotals:
		return true
	case rows.FamilyEpoch:
		return f.Epoch
	case rows.FamilyConstant:
		return f.Constant != "" && k.Name == f.Constant
	case rows.FamilySession:
		return f.coversSession(k.Session, number)
	case rows.FamilyAnswer:
		return f.Session != 0 && k.Session == f.Session
	case rows.FamilyOpener:
		return f.Ends || f.Opens && k.Nonce == f.Nonce
	case rows.FamilyUser:
		return f.User != "" && k.Name == f.User
	}
	return false
}

func (f Footprint) coversSession(id api.SessionID, number api.Number) bool {
	if f.Opens {
		return id == api.SessionID(number)
	}
	return f.Session != 0 && id == f.Session
}
