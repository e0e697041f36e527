package client_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page of errors has each error that a program may meet, with cause and remedy, and no other.
func TestThePageOfErrorsHasThemAll(t *testing.T) {
	want := map[string]bool{}
	for _, dir := range []string{".", "recipe"} {
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range files {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), dir+"/"+e.Name(), nil, 0)
			require.NoError(t, err)
			for name, o := range f.Scope.Objects {
				if o.Kind == ast.Var && strings.HasPrefix(name, "Err") {
					want[name] = true
				}
			}
		}
	}
	require.Greater(t, len(want), 20)
	text, err := os.ReadFile("../docs/errors.md")
	require.NoError(t, err)
	sections := strings.Split(string(text), "\n### ")[1:]
	got := map[string]bool{}
	for _, s := range sections {
		name, body, _ := strings.Cut(s, "\n")
		require.False(t, got[name], "%s comes twice", name)
		got[name] = true
		require.Regexp(t, `(?s)^\n\*\*Cause\.\*\* \S.*\n\n\*\*What to do\.\*\* \S`, body, name)
	}
	require.Equal(t, want, got)
	for _, name := range regexp.MustCompile(`\bErr[A-Z]\w+`).FindAllString(string(text), -1) {
		require.True(t, want[name], "%s is no error of a client", name)
	}
}
