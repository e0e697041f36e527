package contract

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Parts is how many statements each part of the catalogue has: C1.01 to C1.17, and
// so on to C17.12.
var Parts = []int{17, 10, 12, 7, 8, 21, 8, 5, 10, 14, 23, 19, 3, 7, 5, 10, 12}

// Check returns what in the list does not agree with itself, with the numbers of the
// catalogue, or with the tree below root; nil if all does.
func (l List) Check(root string) error {
	return errors.Join(append(l.numbers(), l.changes(root)...)...)
}

// numbers checks that each number stands there once, in order.
func (l List) numbers() (faults []error) {
	var want []string
	for part, n := range Parts {
		for i := range n {
			want = append(want, fmt.Sprintf("C%d.%02d", part+1, i+1))
		}
	}
	for i, line := range l.Lines {
		if i >= len(want) || line.ID != want[i] {
			next := "nothing"
			if i < len(want) {
				next = want[i]
			}
			return []error{fmt.Errorf("line %d: %s stands where %s belongs", line.At, line.ID, next)}
		}
	}
	if len(l.Lines) < len(want) {
		return []error{fmt.Errorf("%s is missing", want[len(l.Lines)])}
	}
	return nil
}

// changes checks that each tested statement has changes, that no other statement has, and
// each change.
func (l List) changes(root string) (faults []error) {
	status, changes := map[string]Status{}, map[string]int{}
	for _, line := range l.Lines {
		status[line.ID] = line.Status
	}
	for _, c := range l.Changes {
		changes[c.ID]++
		if status[c.ID] != Tested {
			faults = append(faults, fmt.Errorf("%v: %s is not tested, says its row", c, c.ID))
		}
		if _, err := c.Apply(root); err != nil {
			faults = append(faults, err)
		}
		if err := c.hasTest(root); err != nil {
			faults = append(faults, err)
		}
	}
	for _, line := range l.Lines {
		if line.Status == Tested && changes[line.ID] == 0 {
			faults = append(faults, fmt.Errorf("line %d: %s is tested, and no change breaks a test", line.At, line.ID))
		}
	}
	return faults
}

// Apply returns the changed text of the file. It writes nothing.
func (c Change) Apply(root string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.File)))
	if err != nil {
		return "", fmt.Errorf("%v: %w", c, err)
	}
	text := string(raw)
	switch n := strings.Count(text, c.Old); {
	case strings.HasSuffix(c.File, "_test.go"):
		return "", fmt.Errorf("%v: that is no change of the product", c)
	case c.Old == "" || c.Old == c.New:
		return "", fmt.Errorf("%v: that changes nothing", c)
	case n != 1:
		return "", fmt.Errorf("%v: %q stands there %d times", c, c.Old, n)
	}
	text = strings.Replace(text, c.Old, c.New, 1)
	if _, err := parser.ParseFile(token.NewFileSet(), c.File, text, 0); err != nil {
		return "", fmt.Errorf("%v: it does not parse any more: %w", c, err)
	}
	return text, nil
}

// hasTest looks for the test's function. Its subtests are known only when it runs.
func (c Change) hasTest(root string) error {
	paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(c.Package), "*_test.go"))
	if err != nil {
		return fmt.Errorf("%v: %w", c, err)
	}
	name, _, _ := strings.Cut(c.Test, "/")
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("%v: %w", c, err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == name {
				return nil
			}
		}
	}
	return fmt.Errorf("%v: there is no such test", c)
}
