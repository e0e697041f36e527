package tree

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Audit walks every row of this package, contents included, and returns the first
// violation of a state invariant, or nil; upto is the number of the last command.
func Audit(r Reader, upto api.Number) error {
	a := auditor{r: r, upto: upto, nodes: map[api.Path]node{}, inside: map[api.Path]Usage{}, owned: map[api.Principal]Usage{}}
	steps := []struct {
		family Family
		check  func(k Key, key, value string) error
	}{
		{FamilyNode, a.node}, // parents come before children
		{FamilyNode, a.counts},
		{FamilyContents, a.contents},
		{FamilyEphemeral, a.ephemeral},
		{FamilyUsage, a.usage},
		{FamilyLimits, a.limits},
	}
	for _, s := range steps {
		for key, value := range r.Scan(string(rune(s.family))) {
			k, ok := ParseKey(key)
			if !ok {
				return fmt.Errorf("I-F1: no family has the key %.80q", key)
			}
			if err := s.check(k, key, value); err != nil {
				return err
			}
		}
	}
	return a.missing()
}

type auditor struct {
	r       Reader
	upto    api.Number
	nodes   map[api.Path]node
	inside  map[api.Path]Usage // found in each directory
	owned   map[api.Principal]Usage
	files   int // found
	filled  int // contents found
	passing int // ephemeral nodes found
	listed  int // in their index
	users   int // rows of usage found
	bounds  int // rows of limits found
}

func (a *auditor) node(k Key, _, value string) error {
	n, err := decodeNode(k.Path, value)
	if err != nil {
		return err
	}
	a.nodes[k.Path] = n
	if n.stat.Kind == api.File {
		a.files++
	}
	if n.stat.Ephemeral {
		a.passing++
	}
	u := growth{nodes: +1, bytes: int64(n.stat.Length)}
	if n.owner != "" {
		a.owned[n.owner], _ = a.owned[n.owner].plus(u)
	}
	if err := a.parent(n, u); err != nil {
		return err
	}
	return a.generations(n)
}

func (a *auditor) parent(n node, u growth) error {
	up, ok := n.path.Parent()
	if !ok {
		return nil
	}
	parent, ok := a.nodes[up]
	founding := a.nodes[api.Path{}].stat.Instance // one command makes all these
	later := n.stat.Instance > parent.stat.Instance || n.stat.Instance == founding && parent.stat.Instance == founding
	if !ok || parent.stat.Kind != api.Directory || !later {
		return fmt.Errorf("I-F2: %v stands in %v, a %v", n.ref(), parent.ref(), parent.stat.Kind)
	}
	a.inside[up], _ = a.inside[up].plus(u)
	return nil
}

func (a *auditor) generations(n node) error {
	s, all := n.stat, []uint64{uint64(n.stat.Lock), uint64(n.stat.ACL)}
	if s.Kind == api.File {
		all = append(all, uint64(s.Content))
	}
	for _, g := range append(all, uint64(s.Instance)) {
		if g < uint64(s.Instance) || g > uint64(a.upto) {
			return fmt.Errorf("I-F5: %v has generations content %d, lock %d, ACL %d after command %d", n.ref(), s.Content, s.Lock, s.ACL, a.upto)
		}
	}
	return nil
}

func (a *auditor) counts(k Key, _, _ string) error {
	if n := a.nodes[k.Path]; n.usage() != a.inside[k.Path] {
		return fmt.Errorf("I-F3: %v counts %+v and has %+v", n.ref(), n.usage(), a.inside[k.Path])
	}
	return nil
}

func (a *auditor) contents(k Key, _, value string) error {
	a.filled++
	n := a.nodes[k.Path]
	switch {
	case value == "" || value[0] != version:
		return fmt.Errorf("I-F1: the contents of %v are %.40q", k.Path, value)
	case n.stat.Kind != api.File:
		return fmt.Errorf("I-F4: contents at %v, which is no file", k.Path)
	case n.stat.Length != uint64(len(value)-1) || n.stat.Checksum != api.ChecksumOf(value[1:]):
		return fmt.Errorf("I-F4: the file %v has %d bytes, checksum %x; its metadata say %d, %x",
			n.ref(), len(value)-1, api.ChecksumOf(value[1:]), n.stat.Length, n.stat.Checksum)
	}
	return nil
}

func (a *auditor) ephemeral(k Key, key, value string) error {
	a.listed++
	var i api.Instance
	if err := decodeNumbers(key, value, (*uint64)(&i)); err != nil {
		return err
	}
	if n := a.nodes[k.Path]; !n.stat.Ephemeral || n.stat.Instance != i {
		return fmt.Errorf("I-F9: the index says that %v, instance %d, is ephemeral", k.Path, i)
	}
	return nil
}

func (a *auditor) usage(k Key, key, value string) error {
	a.users++
	var u Usage
	if err := decodeNumbers(key, value, &u.Nodes, &u.Bytes); err != nil {
		return err
	}
	if u != a.owned[k.Principal] || u.Nodes == 0 {
		return fmt.Errorf("I-F6: %q is charged %+v and owns %+v", k.Principal, u, a.owned[k.Principal])
	}
	return nil
}

func (a *auditor) limits(_ Key, key, value string) error {
	a.bounds++
	var l Limits
	return decodeNumbers(key, value, &l.Principal.Nodes, &l.Principal.Bytes, &l.Directory.Nodes, &l.Directory.Bytes)
}

// missing looks for rows that are missing.
func (a *auditor) missing() error {
	if a.filled != a.files {
		return fmt.Errorf("I-F4: %d files and %d contents", a.files, a.filled)
	}
	if a.users != len(a.owned) {
		return fmt.Errorf("I-F6: %d principals own nodes, %d are charged", len(a.owned), a.users)
	}
	if len(a.nodes)+a.bounds == 0 {
		return nil // not made yet
	}
	for _, p := range []api.Path{{}, api.ACLDirectory()} {
		if n := a.nodes[p]; n.stat.Kind != api.Directory || n.stat.Ephemeral {
			return fmt.Errorf("I-F8: %v is no permanent directory", p)
		}
	}
	if a.bounds == 0 {
		return fmt.Errorf("I-F8: a cell without limits")
	}
	if a.passing != a.listed {
		return fmt.Errorf("I-F9: %d ephemeral nodes, %d in the index", a.passing, a.listed)
	}
	return nil
}
