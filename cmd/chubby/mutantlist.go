package main

import (
	"slices"
	"strings"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/mutants"
)

// listed is one row of `chubby sim mutants --list`.
type listed struct {
	ID         string   `json:"id"`
	Group      string   `json:"group"`
	Title      string   `json:"title"`
	Priority   string   `json:"priority"`
	Applied    bool     `json:"applied"`          // the source tree has a diff that plants it
	Reason     string   `json:"reason,omitempty"` // why not
	Note       string   `json:"note,omitempty"`   // why a hunt may miss it, and what kills it then
	Properties []string `json:"properties"`       // any of which is expected to break
	Control    bool     `json:"control"`
	Files      []string `json:"files"` // that the diff changes
}

// considered are all rows in their order, with what the diffs of the source tree
// say; then diffs of that tree which this program has no row of.
func considered(diffs []mutants.Mutant) []listed {
	var all []listed
	for _, r := range mutants.Rows() {
		l := listed{ID: r.ID, Group: r.Group, Title: r.Title, Priority: r.Priority, Reason: r.Reason, Note: r.Note}
		l.Properties, l.Files, l.Control = []string{}, []string{}, r.Group == mutants.GroupControls
		if i := slices.IndexFunc(diffs, func(m mutants.Mutant) bool { return m.ID == r.ID }); i >= 0 {
			l.plant(&diffs[i])
		} else if r.IsPlanted() {
			l.Reason = "this source tree has no diff of it"
		}
		all = append(all, l)
	}
	for i := range diffs {
		if m := &diffs[i]; !slices.ContainsFunc(all, func(l listed) bool { return l.ID == m.ID }) {
			l := listed{ID: m.ID}
			l.plant(m)
			all = append(all, l)
		}
	}
	return all
}

// plant notes what a diff says of itself.
func (l *listed) plant(m *mutants.Mutant) {
	l.Title, l.Priority, l.Control, l.Applied, l.Reason = m.Title, m.Priority, m.Control, true, ""
	l.Properties, l.Files = append([]string{}, m.Properties...), m.Patch.Paths()
}

// expect is what is to become of a hunt for it.
func (l *listed) expect() string {
	switch {
	case !l.Applied:
		return "absent"
	case l.Control:
		return "survives"
	}
	return strings.Join(l.Properties, ",")
}

// mutantList is the JSON form of the list.
type mutantList struct {
	Mutants []listed `json:"mutants"`
}

func (a *app) listMutants(f *mutantFlags, diffs []mutants.Mutant, ids []string) error {
	all, err := named(considered(diffs), ids, func(l listed) string { return l.ID })
	if err != nil {
		return err
	}
	if f.form == "json" {
		return a.Document(mutantsSchema, mutantList{all})
	}
	t := cli.NewColumns(a.Out)
	t.Row("ID\tPRI\tPROPERTY\tTITLE\n")
	for i := range all {
		l := &all[i]
		t.Row("%s\t%s\t%s\t%s\n", l.ID, l.Priority, l.expect(), l.Title)
		if l.Reason != "" {
			t.Row("\t\t\t  why not: %s\n", l.Reason)
		}
		if l.Note != "" {
			t.Row("\t\t\t  note: %s\n", l.Note)
		}
	}
	return t.End()
}
