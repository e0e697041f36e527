package archtest

import (
	"go/ast"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxMethods is how many methods a type of a support package may have. A type with more
// holds more than one noun: each of them deserves a type and a file.
const maxMethods = 30

// TestNoTypeOfTheSimulatorHasTooManyMethods counts what a type declares itself. Methods
// of embedded types count with the types that declare them.
func TestNoTypeOfTheSimulatorHasTooManyMethods(t *testing.T) {
	count := map[string]int{}
	for _, s := range sources(t) {
		if packages[s.pkg].kind != support {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				count[s.pkg+"."+receiver(f)]++
			}
		}
	}
	require.NotEmpty(t, count)
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if count[name] > maxMethods {
			t.Errorf("%s has %d methods, more than %d: give its parts types of their own", name, count[name], maxMethods)
		}
	}
}

// receiver is the name of the type that f is a method of.
func receiver(f *ast.FuncDecl) string {
	e := f.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		}
	}
}
