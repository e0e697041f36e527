package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

// Docs are contracts: every exported name has one. String and Error say what
// fmt.Stringer and error say and need none of their own.
func TestEveryExportedNameHasADocComment(t *testing.T) {
	found := 0
	for _, s := range sources(t) {
		if s.file.Name.Name == "main" || ast.IsGenerated(s.file) {
			continue
		}
		for _, d := range s.file.Decls {
			for _, n := range undocumented(d) {
				t.Errorf("%s: %s is exported and has no doc comment", s.at(n), n.Name)
			}
			found++
		}
	}
	require.Positive(t, found)
}

func TestUndocumentedFindsWhatItShould(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", `package p
// T is documented.
type T struct{}
type U int
// M is, too.
func (T) M() {}
func (T) N() {}
func (T) String() string { return "" }
func (t *hidden) Public() {}
const (
	A = 1 // A says it behind
	B = 2
)`, parser.ParseComments)
	require.NoError(t, err)
	var names []string
	for _, d := range f.Decls {
		for _, n := range undocumented(d) {
			names = append(names, n.Name)
		}
	}
	require.Equal(t, []string{"U", "N", "B"}, names)
}

// undocumented are the exported names that d declares without a comment.
func undocumented(d ast.Decl) []*ast.Ident {
	var all []*ast.Ident
	need := func(n *ast.Ident, docs ...*ast.CommentGroup) {
		for _, doc := range docs {
			if doc != nil {
				return
			}
		}
		if n.IsExported() {
			all = append(all, n)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if public(d) {
			need(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				need(spec.Name, d.Doc, spec.Doc, spec.Comment)
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					need(n, d.Doc, spec.Doc, spec.Comment)
				}
			}
		}
	}
	return all
}

// public says that callers elsewhere can name the function, and that its meaning
// is its own.
func public(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	if d.Name.Name == "String" || d.Name.Name == "Error" {
		return false
	}
	of := d.Recv.List[0].Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}
