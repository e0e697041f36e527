package rows

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Audit reads every system row of this package's families and returns the first fault it
// finds, or nil: I-R1, I-R4, I-R5. Package command has the audit of the whole cell.
func Audit(r Reader) error {
	a := auditor{r: r}
	for _, f := range systemFamilies {
		for key := range r.Scan(string(rune(f))) {
			if err := a.key(key); err != nil {
				return err
			}
		}
	}
	if t := GetTotals(r); t.Sessions != a.sessions || t.Sessions != a.openers {
		return fmt.Errorf("I-R5: %d sessions counted, there are %d and %d openers", t.Sessions, a.sessions, a.openers)
	}
	return nil
}

type auditor struct {
	r                 Reader
	sessions, openers uint64
}

func (a *auditor) key(key string) error {
	k, ok := ParseKey(key)
	if !ok {
		return fmt.Errorf("I-R1: family %c has no key %.80q", key[0], key)
	}
	switch k.Family {
	case FamilyTotals:
		GetTotals(a.r)
	case FamilyEpoch:
		GetEpoch(a.r)
	case FamilyConstant:
		GetConstant(a.r, k.Name)
	case FamilySecret:
		GetSecret(a.r)
	case FamilyLease:
		GetLongestLease(a.r)
	case FamilyBackup:
		GetBackup(a.r)
	case FamilyAlive:
		GetMaxSessions(a.r)
	case FamilySession:
		a.sessions++
		return AuditSession(a.r, k.Session)
	case FamilyOpener:
		a.openers++
		if s, ok := GetSession(a.r, sessionOf(a.r, k)); !ok || s.Nonce != k.Nonce || s.Principal != k.Principal {
			return fmt.Errorf("I-R5: opener %v names no session of its own", k.Nonce)
		}
	case FamilyAnswer:
		if _, ok := GetSession(a.r, k.Session); !ok {
			return fmt.Errorf("I-R4: answer %d belongs to session %d, which is not alive", k.Seq, k.Session)
		}
	}
	return nil
}

func sessionOf(r Reader, k Key) api.SessionID {
	id, _ := SessionByNonce(r, k.Nonce, k.Principal)
	return id
}

// AuditSession is Audit for the rows of one session, alive or not.
func AuditSession(r Reader, id api.SessionID) error {
	s, alive := GetSession(r, id)
	if opened, _ := SessionByNonce(r, s.Nonce, s.Principal); alive && opened != id {
		return fmt.Errorf("I-R5: the nonce of session %d opened %d", id, opened)
	}
	if s.Principal != "" && s.Principal.Check() != api.OK {
		return fmt.Errorf("I-R1: session %d is that of %.80q", id, s.Principal)
	}
	for key := range r.Scan(answersOf(id)) {
		k, _ := ParseKey(key)
		if !alive || k.Seq <= s.AckedThrough || k.Seq-s.AckedThrough > api.MaxWindow {
			return fmt.Errorf("I-R4: answer %d of session %d (alive: %t), which has seen %d", k.Seq, id, alive, s.AckedThrough)
		}
		GetAnswer(r, id, k.Seq)
	}
	return nil
}
