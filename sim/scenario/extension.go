package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Extension is what a program adds to the cell. The zero Extension adds nothing. All runs share it,
// and may run side by side: its faults and workloads must keep the state of a run only in the Stage
// and the Program.
type Extension struct {
	Faults     []Fault
	Workloads  []Workload
	Properties []Property
}

// Names lists the parts of an extension by name, in its order. Equal names and equal code draw
// equal runs.
type Names struct {
	Faults     []string `json:"faults,omitempty"`
	Workloads  []string `json:"workloads,omitempty"`
	Properties []string `json:"properties,omitempty"`
}

// Names returns the names of all parts of the extension. A nil Extension has none.
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

// Only returns the parts of the extension with these names, in their order, or nil if n is empty.
// The error lists the names that the extension, which may be nil, does not have.
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

// pick appends to part the elements of all that names lists, and returns the names that all does
// not have.
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

// Check returns what is wrong with the names of an extension. taken reports the names that are in
// use.
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
