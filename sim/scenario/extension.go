package scenario

import (
	"fmt"
	"regexp"
)

// Extension is what a program adds to the cell. The zero Extension adds nothing. It is
// shared by all runs, which may go on side by side: its faults and workloads must keep no
// state of a run outside of what the Stage and the Program hold.
type Extension struct {
	Faults     []Fault
	Workloads  []Workload
	Properties []Property
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
