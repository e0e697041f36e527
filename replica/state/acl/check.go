package acl

import "github.com/chubbycell/chubby/replica/api"

// Files reads the files of the cell's tree.
type Files interface {
	// Contents reads the file that stands at p; ok is false where there is none.
	Contents(p api.Path) (contents string, ok bool)
}

// Check returns OK if principal who has all of the wanted rights to a node with these ACL
// names, else Permission. An empty or invalid want is refused. It reads one file for each
// right.
func Check(f Files, names api.ACLNames, want api.Rights, who api.Principal) api.Code {
	if !want.Valid() {
		return api.Permission
	}
	for one := api.RightRead; one <= want; one <<= 1 {
		if want.Has(one) && !isListed(f, nameOf(names, one), who) {
			return api.Permission
		}
	}
	return api.OK
}

func isListed(f Files, name api.ACLName, who api.Principal) bool {
	p, ok := name.Path()
	if !ok {
		return false
	}
	contents, ok := f.Contents(p)
	return ok && HasPrincipal(contents, who)
}
