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
		for key, value := range r.Ascend(sessionKey(after+1), string(rune(FamilySession+1))) {
			if k, is := ParseKey(key); is && !yield(k.Session, readSession(key, value)) {
				return
			}
		}
	}
}
