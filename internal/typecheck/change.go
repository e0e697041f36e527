package typecheck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Check reports what does not compile when files of the module have another text. The files
// are named from the module's root, with slashes. Their packages are checked, and, if these
// show something else than before, all that import them; no tests.
func (m *Module) Check(changed map[string]string) error {
	c, err := m.change(changed)
	if err != nil {
		return err
	}
	return c.checkBuild()
}

// CheckTest is Check, and checks the tests of the package in directory dir as well.
func (m *Module) CheckTest(changed map[string]string, dir string) error {
	c, err := m.change(changed)
	if err != nil {
		return err
	}
	if err := c.checkBuild(); err != nil {
		return err
	}
	for _, path := range m.order {
		if p := m.packages[path]; filepath.ToSlash(filepath.Dir(slices.Concat(p.files, p.tests, p.xtests)[0])) == dir {
			return c.checkTests(p)
		}
	}
	return fmt.Errorf("%s has no package", dir)
}

// change is the module with some files changed. It imports packages as they are then.
type change struct {
	m       *Module
	texts   map[string]string
	touched map[string]bool           // packages whose files are changed
	done    map[string]*types.Package // that differ from those of the tree, or may
}

func (m *Module) change(texts map[string]string) (*change, error) {
	c := &change{m: m, texts: texts, touched: map[string]bool{}, done: map[string]*types.Package{}}
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		if m.owners[file] == "" {
			return nil, fmt.Errorf("%s is in no package that is built here", file)
		}
		c.touched[m.owners[file]] = true
	}
	return c, nil
}

func (c *change) checkBuild() error {
	differs := false
	for _, path := range c.m.order {
		p := c.m.packages[path]
		if !c.touched[path] && !(differs && c.isReached(p)) {
			continue
		}
		t, err := c.Import(path)
		if err != nil {
			return err
		}
		differs = differs || describe(t) != p.api
	}
	return nil
}

// checkTests checks the tests of a package: those inside it, then those outside, to which
// the package shows what its tests declare as well.
func (c *change) checkTests(p *pkg) error {
	t, err := c.check(p.path, p, slices.Concat(p.files, p.tests))
	if err != nil || len(p.xtests) == 0 {
		return err
	}
	around := &change{m: c.m, texts: c.texts, touched: maps.Clone(c.touched), done: maps.Clone(c.done)}
	around.touched[p.path] = true
	maps.DeleteFunc(around.done, func(path string, _ *types.Package) bool { return c.m.packages[path].reaches[p.path] })
	around.done[p.path] = t
	_, err = around.check(p.path+"_test", p, p.xtests)
	return err
}

// isReached reports that a package imports, however far, one that is touched.
func (c *change) isReached(p *pkg) bool {
	for path := range c.touched { // order-free: any will do
		if p.reaches[path] {
			return true
		}
	}
	return false
}

// Import returns a package as it is with the change.
func (c *change) Import(path string) (*types.Package, error) {
	p := c.m.packages[path]
	switch {
	case p == nil && c.m.outside[path] == nil:
		return nil, fmt.Errorf("%s is imported nowhere in the module today", path)
	case p == nil:
		return c.m.outside[path], nil
	case !c.touched[path] && !c.isReached(p):
		return p.types, nil
	case c.done[path] != nil:
		return c.done[path], nil
	}
	t, err := c.check(path, p, p.files)
	c.done[path] = t
	return t, err
}

// check finds the types of the files of one package.
func (c *change) check(path string, p *pkg, names []string) (*types.Package, error) {
	files := make([]*ast.File, len(names))
	for i, name := range names {
		f, err := c.parse(p, name)
		if err != nil {
			return nil, err
		}
		files[i] = f
	}
	var faults []string
	t, err := c.m.config(c, func(err error) { faults = append(faults, err.Error()) }).Check(path, c.m.fset, files, nil)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.Join(faults[:min(len(faults), 3)], "\n"))
	}
	return t, nil
}

func (c *change) parse(p *pkg, name string) (*ast.File, error) {
	if text, ok := c.texts[name]; ok {
		return parser.ParseFile(c.m.fset, name, text, parser.SkipObjectResolution)
	}
	return c.m.parse(p, name)
}
