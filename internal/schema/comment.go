package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// module is the path that the project's packages begin with.
const module = "github.com/chubbycell/chubby"

// comments finds what the source says of types and their fields. It reads a package once.
type comments struct {
	root     string // of the source
	packages map[string]map[string]*ast.TypeSpec
	docs     map[*ast.TypeSpec]string
}

func newComments(root string) *comments {
	return &comments{root, map[string]map[string]*ast.TypeSpec{}, map[*ast.TypeSpec]string{}}
}

// of is what stands above a type; "" for one of another module.
func (c *comments) of(t reflect.Type) (string, error) {
	spec, err := c.spec(t)
	if spec == nil {
		return "", err
	}
	return c.docs[spec], nil
}

// field is what stands above a field, and behind it.
func (c *comments) field(t reflect.Type, name string) (string, error) {
	spec, err := c.spec(t)
	if spec == nil {
		return "", err
	}
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return "", nil
	}
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			if n.Name == name {
				return words(f.Doc.Text() + " " + f.Comment.Text()), nil
			}
		}
	}
	return "", nil
}

func words(text string) string { return strings.Join(strings.Fields(text), " ") }

func (c *comments) spec(t reflect.Type) (*ast.TypeSpec, error) {
	inside, ok := strings.CutPrefix(t.PkgPath(), module+"/")
	if !ok || t.Name() == "" {
		return nil, nil
	}
	all, ok := c.packages[inside]
	if !ok {
		var err error
		if all, err = c.read(filepath.Join(c.root, filepath.FromSlash(inside))); err != nil {
			return nil, err
		}
		c.packages[inside] = all
	}
	if all[t.Name()] == nil {
		return nil, fmt.Errorf("the source of %v is not in %s", t, inside)
	}
	return all[t.Name()], nil
}

// read finds the types of a package.
func (c *comments) read(dir string) (map[string]*ast.TypeSpec, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := map[string]*ast.TypeSpec{}
	for _, f := range files {
		if f.Type()&fs.ModeType != 0 || !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, f.Name()), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range tree.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				if spec, ok := s.(*ast.TypeSpec); ok {
					all[spec.Name.Name] = spec
					c.docs[spec] = words(g.Doc.Text() + " " + spec.Doc.Text())
				}
			}
		}
	}
	return all, nil
}
