package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// source is one file that is not a test.
type source struct {
	pkg, path string // package and file, both from the module's root
	file      *ast.File
	fset      *token.FileSet
}

func sources(t *testing.T) []source {
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && path != root) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "go.mod")); err == nil && filepath.Dir(rel) != "." {
			return nil // a module of its own
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{pkg: filepath.ToSlash(filepath.Dir(rel)), path: filepath.ToSlash(rel), file: f, fset: fset})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

func (s source) imports() []string {
	var all []string
	for _, i := range s.file.Imports {
		all = append(all, strings.Trim(i.Path.Value, `"`))
	}
	return all
}

func (s source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

func TestImportsKeepToTheLattice(t *testing.T) {
	for _, s := range sources(t) {
		_, known := packages[s.pkg]
		require.True(t, known, "%s: package %s has no rule (policy.go)", s.path, s.pkg)
		for _, imp := range s.imports() {
			inside, ok := strings.CutPrefix(imp, Module+"/")
			if !ok {
				continue
			}
			require.Contains(t, allowedImports(s.pkg), inside, "%s: %s may not import %s", s.path, s.pkg, inside)
		}
	}
}

func TestTheLatticeHasNoCycleAndNoGhost(t *testing.T) {
	for name, r := range packages {
		require.NotContains(t, allowedImports(name), name)
		for _, q := range r.may {
			require.Contains(t, packages, q, "%s may import %s, which does not exist", name, q)
		}
	}
	for name := range packages {
		if name == "sim" || strings.HasPrefix(name, "sim/") || strings.HasPrefix(name, "cmd/") {
			continue
		}
		require.NotContains(t, allowedImports(name), "sim", "nothing imports the simulator but the command")
	}
	for _, low := range []string{"wal", "snapshot"} {
		require.NotContains(t, allowedImports(low), "paxos")
	}
	for _, name := range []string{"client", "client/session"} {
		for _, q := range allowedImports(name) {
			require.False(t, strings.HasPrefix(q, "replica") && q != "replica/api", "%s may import %s", name, q)
		}
	}
}

func TestNoPackageUsesWhatItsKindForbids(t *testing.T) {
	for _, s := range sources(t) {
		k := packages[s.pkg].kind
		for _, imp := range s.imports() {
			if s.pkg == "wal/vfs" && !strings.HasPrefix(imp, "net") {
				continue // the one package that uses the operating system's files
			}
			for _, bad := range forbiddenImports[k] {
				require.False(t, imp == bad || strings.HasSuffix(bad, "/") && strings.HasPrefix(imp, bad), "%s: imports %s", s.path, imp)
			}
		}
		if k == concurrent || s.pkg == "internal/archtest" || outsideTheWorld[s.path] != "" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: go statement", s.at(n))
			case *ast.SelectStmt:
				t.Errorf("%s: select statement", s.at(n))
			case *ast.ChanType:
				t.Errorf("%s: channel", s.at(n))
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && slices.Contains(forbiddenNames[k], x.Name+"."+n.Sel.Name) {
					t.Errorf("%s: %s.%s", s.at(n), x.Name, n.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestEveryPackageSaysFirstWhatKindItIs(t *testing.T) {
	words := map[kind]string{pure: "pure", synchronous: "synchronous", concurrent: "concurrent", support: "test support"}
	docs := map[string]string{}
	for _, s := range sources(t) {
		if s.file.Doc != nil && strings.HasPrefix(s.file.Doc.Text(), "Package ") {
			docs[s.pkg] = strings.Join(strings.Fields(s.file.Doc.Text()), " ")
		}
		if _, ok := docs[s.pkg]; !ok {
			docs[s.pkg] = ""
		}
	}
	for pkg, doc := range docs {
		if strings.HasPrefix(pkg, "cmd/") {
			continue
		}
		name := pkg[strings.LastIndex(pkg, "/")+1:]
		want := fmt.Sprintf("Package %s is %s", name, words[packages[pkg].kind])
		require.True(t, strings.HasPrefix(doc, want), "package %s: its doc should begin %q, it begins %q", pkg, want, doc[:min(len(doc), 60)])
	}
}

// The order of a map must not reach an output. Types are not known here, so
// every range over something made or declared as a map in the same package needs a
// comment on why its order does not matter.
func TestNoRangeOverAMapWithoutAReason(t *testing.T) {
	byPkg := map[string][]source{}
	for _, s := range sources(t) {
		if k := packages[s.pkg].kind; k == pure || k == synchronous || s.pkg == "sim" {
			byPkg[s.pkg] = append(byPkg[s.pkg], s)
		}
	}
	for pkg, files := range byPkg {
		maps := mapNames(files)
		for _, s := range files {
			marked := markedLines(s)
			ast.Inspect(s.file, func(n ast.Node) bool {
				r, ok := n.(*ast.RangeStmt)
				if !ok || !maps[lastName(r.X)] {
					return true
				}
				line := s.fset.Position(r.Pos()).Line
				if !marked[line] && !marked[line-1] {
					t.Errorf("%s: range over the map %s in %s without an 'order-free:' reason", s.at(r), lastName(r.X), pkg)
				}
				return true
			})
		}
	}
}

func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return ""
	}
	return ""
}

// mapNames are the names of fields and variables with a map type, minus those
// that also name something else with a slice type in the same package.
func mapNames(files []source) map[string]bool {
	names, others := map[string]bool{}, map[string]bool{}
	note := func(idents []*ast.Ident, typ ast.Expr) {
		for _, id := range idents {
			switch typ.(type) {
			case *ast.MapType:
				names[id.Name] = true
			case *ast.ArrayType:
				others[id.Name] = true
			}
		}
	}
	for _, s := range files {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				note(n.Names, n.Type)
			case *ast.ValueSpec:
				if n.Type != nil {
					note(n.Names, n.Type)
				}
			case *ast.AssignStmt:
				for i, rhs := range n.Rhs {
					if i >= len(n.Lhs) {
						break
					}
					id, ok := n.Lhs[i].(*ast.Ident)
					if !ok {
						continue
					}
					switch v := rhs.(type) {
					case *ast.CompositeLit:
						note([]*ast.Ident{id}, v.Type)
					case *ast.CallExpr:
						if fn, ok := v.Fun.(*ast.Ident); ok && fn.Name == "make" {
							note([]*ast.Ident{id}, v.Args[0])
						}
					}
				}
			}
			return true
		})
	}
	for n := range others {
		delete(names, n)
	}
	return names
}

func markedLines(s source) map[int]bool {
	lines := map[int]bool{}
	for _, g := range s.file.Comments {
		for _, c := range g.List {
			if strings.Contains(c.Text, "order-free:") {
				lines[s.fset.Position(c.Pos()).Line] = true
			}
		}
	}
	return lines
}
