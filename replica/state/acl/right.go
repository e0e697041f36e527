package acl

import "github.com/chubbycell/chubby/replica/api"

// nameOf is the ACL name of a node that decides over one right, and empty for no right or
// several.
func nameOf(names api.ACLNames, one api.Rights) api.ACLName {
	switch one {
	case api.RightRead:
		return names.Read
	case api.RightWrite:
		return names.Write
	case api.RightChangeACL:
		return names.Change
	}
	return ""
}

// Call is a call on a handle.
type Call uint8

// The calls that read or change a node.
const (
	GetContentsAndStat Call = 1 + iota
	GetStat
	ReadDir
	SetContents
	CreateChild // a node in the directory: the right to the directory decides
	SetACL
	Delete
	AcquireExclusive
	AcquireShared
	GetSequencer
	CheckSequencer
	callEnd
)

// Calls are all the calls there are.
func Calls() (all []Call) {
	for c := GetContentsAndStat; c < callEnd; c++ {
		all = append(all, c)
	}
	return all
}

// RequiredRight is the right without which a call is refused.
//
// A lock needs the right to write in either mode: a principal with the right to read only
// could otherwise hold it shared and keep writers out (C5.06). Making a node needs the
// right to write its directory; deleting a node needs the right to write it, which is
// enough to empty it in any case.
func (c Call) RequiredRight() api.Rights {
	switch c {
	case GetContentsAndStat, GetStat, ReadDir, CheckSequencer:
		return api.RightRead
	case SetACL:
		return api.RightChangeACL
	}
	return api.RightWrite
}
