package rows

import (
	"iter"

	"github.com/chubbycell/chubby/replica/api"
)

// SessionsAfter lists the sessions that are alive and have an id above this one, by id.
func SessionsAfter(r Reader, after api.SessionID) iter.Seq2[api.SessionID, Session] {
	return func(yield func(api.SessionID, Session) bool) {
		if after+1 == 0 {
			return
		}
		for key := range r.Ascend(sessionKey(after+1), string(rune(FamilySession+1))) {
			k, is := ParseKey(key)
			if !is {
				continue
			}
			if s, ok := GetSession(r, k.Session); ok && !yield(k.Session, s) {
				return
			}
		}
	}
}
