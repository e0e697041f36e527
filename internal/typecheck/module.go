package typecheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Module is the packages of the module as they stand in the tree, with their types. It is
// not safe for use by several goroutines.
type Module struct {
	root     string
	fset     *token.FileSet
	version  string                    // of the language
	packages map[string]*pkg           // of the module, by import path
	order    []string                  // their import paths, each behind those that it imports
	owners   map[string]string         // by file, from the root: the import path
	outside  map[string]*types.Package // what packages of the module import from elsewhere
}

// pkg is one package of the module.
type pkg struct {
	path                 string
	files, tests, xtests []string        // from the root
	reaches              map[string]bool // packages of the module that it imports, however far
	parsed               map[string]*ast.File
	types                *types.Package
	api                  string // see describe
}

// listed is what the go command says of a package.
type listed struct {
	ImportPath, Dir, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
	Module                             *struct{ Path, GoVersion string }
}

// Load reads the module whose go.mod is in root, and finds the types of all its packages.
// What it imports from elsewhere is compiled, unless the go command has kept it.
func Load(root string) (*Module, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	m := &Module{root: root, fset: token.NewFileSet(), packages: map[string]*pkg{}, owners: map[string]string{}}
	own, err := list(root, "./...")
	if err != nil {
		return nil, err
	}
	imports := map[string][]string{}
	outside := map[string]bool{}
	for _, l := range own {
		m.version = "go" + l.Module.GoVersion
		m.add(l)
		imports[l.ImportPath] = l.Imports
	}
	for _, l := range own {
		for _, path := range slices.Concat(l.Imports, l.TestImports, l.XTestImports) {
			if m.packages[path] == nil && path != "unsafe" && path != "C" {
				outside[path] = true
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		m.sort(path, imports)
	}
	if err := m.load(slices.Sorted(maps.Keys(outside))); err != nil {
		return nil, err
	}
	return m, m.checkAll()
}

// list asks the go command about packages.
func list(root string, args ...string) (all []listed, err error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,Module"}, args...)...)
	cmd.Dir = root
	var said bytes.Buffer
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, said.String())
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, l)
	}
}

func (m *Module) add(l listed) {
	rel, _ := filepath.Rel(m.root, l.Dir)
	paths := func(names []string) (all []string) {
		for _, n := range names {
			all = append(all, filepath.ToSlash(filepath.Join(rel, n)))
			m.owners[all[len(all)-1]] = l.ImportPath
		}
		return all
	}
	m.packages[l.ImportPath] = &pkg{
		path: l.ImportPath, files: paths(l.GoFiles), tests: paths(l.TestGoFiles), xtests: paths(l.XTestGoFiles),
		reaches: map[string]bool{}, parsed: map[string]*ast.File{},
	}
}

// sort puts a package into the order, behind those that it imports.
func (m *Module) sort(path string, imports map[string][]string) {
	p := m.packages[path]
	if p == nil || slices.Contains(m.order, path) {
		return
	}
	for _, i := range imports[path] {
		if q := m.packages[i]; q != nil {
			m.sort(i, imports)
			p.reaches[i] = true
			maps.Copy(p.reaches, q.reaches)
		}
	}
	m.order = append(m.order, path)
}

// load reads the types of packages from elsewhere as the compiler has written them.
func (m *Module) load(paths []string) error {
	m.outside = map[string]*types.Package{"unsafe": types.Unsafe}
	if len(paths) == 0 { // the go command would take none for the package of the root
		return nil
	}
	all, err := list(m.root, append([]string{"-deps", "-export"}, paths...)...)
	if err != nil {
		return err
	}
	exports := map[string]string{}
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	im := importer.ForCompiler(m.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, path := range paths {
		if m.outside[path], err = im.Import(path); err != nil {
			return err
		}
	}
	return nil
}

func (m *Module) checkAll() error {
	for _, path := range m.order {
		p := m.packages[path]
		t, err := (&change{m: m}).check(path, p, p.files)
		if err != nil {
			return fmt.Errorf("the tree itself does not compile: %w", err)
		}
		p.types, p.api = t, describe(t)
	}
	return nil
}

// parse parses a file of the tree once.
func (m *Module) parse(p *pkg, file string) (*ast.File, error) {
	if f := p.parsed[file]; f != nil {
		return f, nil
	}
	f, err := parser.ParseFile(m.fset, filepath.Join(m.root, filepath.FromSlash(file)), nil, parser.SkipObjectResolution)
	if err == nil {
		p.parsed[file] = f
	}
	return f, err
}

func (m *Module) config(im types.Importer, report func(error)) *types.Config {
	return &types.Config{Importer: im, GoVersion: m.version, Sizes: types.SizesFor("gc", runtime.GOARCH), Error: report}
}

// describe is all that a package shows to those that import it. Names that are not exported
// may be reached as well, by the types of others.
func describe(p *types.Package) string {
	var b strings.Builder
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		fmt.Fprintln(&b, o)
		switch o := o.(type) {
		case *types.Const:
			fmt.Fprintln(&b, o.Val().ExactString())
		case *types.TypeName:
			fmt.Fprintln(&b, o.Type().Underlying())
			if n, ok := o.Type().(*types.Named); ok {
				for f := range n.Methods() {
					fmt.Fprintln(&b, f)
				}
			}
		}
	}
	return b.String()
}
