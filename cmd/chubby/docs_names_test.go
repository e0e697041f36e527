package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli/clitest"
)

// goNames are the exported names of packages: package.Name, Type.Member and Type.Method. What an alias names has its
// members under the same name.
func goNames(t *testing.T, dirs ...string) map[string]bool {
	names := map[string]bool{}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(project, dir, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, dir)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range file.Decls {
				addGoNames(names, file.Name.Name, d)
			}
		}
	}
	return names
}

func addGoNames(names map[string]bool, pkg string, d ast.Decl) {
	members := func(of string, list *ast.FieldList) {
		for _, field := range list.List {
			for _, id := range field.Names {
				names[of+"."+id.Name] = true
			}
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[pkg+"."+d.Name.Name] = true
			return
		}
		of := d.Recv.List[0].Type
		if p, ok := of.(*ast.StarExpr); ok {
			of = p.X
		}
		switch x := of.(type) {
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		}
		names[of.(*ast.Ident).Name+"."+d.Name.Name] = true
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names[pkg+"."+id.Name] = true
				}
			case *ast.TypeSpec:
				names[pkg+"."+s.Name.Name] = true
				switch x := s.Type.(type) {
				case *ast.StructType:
					members(s.Name.Name, x.Fields)
				case *ast.InterfaceType:
					members(s.Name.Name, x.Methods)
				}
			}
		}
	}
}

// What the documents for programs name exists; they have no code that is compiled.
func TestTheGoNamesThatDocumentsGiveExist(t *testing.T) {
	exist := goNames(t, "client", "client/session", "client/recipe", "client/chubbytest")
	code := regexp.MustCompile("`[^`\n]+`")
	qualified := regexp.MustCompile(`\b(?:client|recipe|chubbytest|Client|Handle|Lock|OpenOptions|Config|Term|Fence|Registration)\.[A-Z]\w*`)
	sentinel := regexp.MustCompile(`\b(?:Err|Event|Want)[A-Z]\w*`)
	named := 0
	all := clitest.Documents(t, project)
	for _, name := range []string{"docs/from-etcd.md", "docs/recipes.md", "docs/errors.md", "docs/testing-your-program.md"} {
		for _, span := range code.FindAllString(all[name], -1) {
			for _, n := range qualified.FindAllString(span, -1) {
				named++
				require.True(t, exist[n], "%s names %s", name, n)
			}
			for _, n := range sentinel.FindAllString(span, -1) {
				named++
				require.True(t, exist["client."+n] || exist["recipe."+n], "%s names %s", name, n)
			}
		}
	}
	require.Greater(t, named, 40)
}

// A pattern that fits no test runs nothing, and go test passes.
func TestThePatternsOfTestsInDocumentsFitTests(t *testing.T) {
	command := regexp.MustCompile(`(?m)^    go test .*$`)
	pattern := regexp.MustCompile(`-run[ =]'?([^' ]+)`)
	function := regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`)
	patterns := 0
	for name, text := range clitest.Documents(t, project) {
		for _, line := range command.FindAllString(text, -1) {
			run := pattern.FindStringSubmatch(line)
			dir := regexp.MustCompile(` \./(\S*)`).FindStringSubmatch(line)
			if run == nil || dir == nil || strings.Contains(dir[1], "...") {
				continue
			}
			files, err := filepath.Glob(filepath.Join(project, dir[1], "*_test.go"))
			require.NoError(t, err)
			require.NotEmpty(t, files, "%s: %s", name, line)
			var there []string
			for _, path := range files {
				source, err := os.ReadFile(path)
				require.NoError(t, err)
				for _, m := range function.FindAllSubmatch(source, -1) {
					there = append(there, string(m[1]))
				}
			}
			top, _, _ := strings.Cut(run[1], "/") // what is behind it are names of subtests
			for _, one := range strings.Split(top, "|") {
				patterns++
				fits := regexp.MustCompile(one)
				found := false
				for _, f := range there {
					found = found || fits.MatchString(f)
				}
				require.True(t, found, "%s: %q of %s fits no test", name, one, line)
			}
		}
	}
	require.Greater(t, patterns, 15)
}
