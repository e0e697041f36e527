package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Extension is what a program adds to the cell. The zero Extension adds nothing. It is
// shared by all runs, which may go on side by side: its faults and workloads must keep no
// state of a run outside of what the Stage and the Program hold.
type Extension struct {
	Faults     []Fault
	Workloads  []Workload
	Properties []Property
}

// Names is what an extension is made of, in its order: equal names and equal code draw
// equal runs.
type Names struct {
	Faults     []string `json:"faults,omitempty"`
	Workloads  []string `json:"workloads,omitempty"`
	Properties []string `json:"properties,omitempty"`
}

// Names are the names of all that the extension adds; none of a nil Extension.
func (x *Extension) Names() Names {
	var n Names
	if x == nil {
		return n
	}
	for _, f := range x.Faults {
		n.Faults = append(n.Faults, f.Name())
	}
	for _, w := range x.Workloads {
		n.Workloads = append(n.Workloads, w.Name())
	}
	for _, p := range x.Properties {
		n.Properties = append(n.Properties, p.ID)
	}
	return n
}

// Only is the part of the extension that has these names, in their order; nil if there
// are none. An error names what the extension, which may be nil, does not have.
func (x *Extension) Only(n Names) (*Extension, error) {
	if len(n.Faults)+len(n.Workloads)+len(n.Properties) == 0 {
		return nil, nil
	}
	if x == nil {
		x = &Extension{}
	}
	var part Extension
	missing := slices.Concat(
		pick(&part.Faults, x.Faults, n.Faults, "fault", Fault.Name),
		pick(&part.Workloads, x.Workloads, n.Workloads, "workload", Workload.Name),
		pick(&part.Properties, x.Properties, n.Properties, "property", func(p Property) string { return p.ID }),
	)
	if len(missing) > 0 {
		return nil, fmt.Errorf("this program has %s", strings.Join(missing, ", "))
	}
	return &part, nil
}

// pick appends to part those of all that are named, and says of the others that they are
// not there.
func pick[T any](part *[]T, all []T, names []string, kind string, name func(T) string) (missing []string) {
	for _, n := range names {
		if i := slices.IndexFunc(all, func(t T) bool { return name(t) == n }); i >= 0 {
			*part = append(*part, all[i])
		} else {
			missing = append(missing, fmt.Sprintf("no %s %q", kind, n))
		}
	}
	return missing
}

var (
	names = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	ids   = regexp.MustCompile(`^[A-Z][A-Za-z0-9-]*$`)
)

// Check says what is wrong with the names of an extension, given those that are taken.
func (x *Extension) Check(taken func(name string) bool) error {
	seen := map[string]bool{}
	once := func(kind, name string, form *regexp.Regexp) error {
		switch {
		case !form.MatchString(name):
			return fmt.Errorf("%s %q: a name is of the form %v", kind, name, form)
		case taken(name) || seen[name]:
			return fmt.Errorf("%s %q: the name is taken", kind, name)
		}
		seen[name] = true
		return nil
	}
	for _, f := range x.Faults {
		if err := once("fault", f.Name(), names); err != nil {
			return err
		}
	}
	for _, w := range x.Workloads {
		if err := once("workload", w.Name(), names); err != nil {
			return err
		}
	}
	for _, p := range x.Properties {
		if err := once("property", p.ID, ids); err != nil {
			return err
		}
		if p.New == nil {
			return fmt.Errorf("property %q: New is nil", p.ID)
		}
	}
	return nil
}
