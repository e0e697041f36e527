package simtest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/testing-your-program.md prints the program of example_smallest_test.go, to be copied as it stands.
func TestThePagePrintsTheSmallestProgram(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing-your-program.md")
	require.NoError(t, err)
	file, err := os.ReadFile("example_smallest_test.go")
	require.NoError(t, err)
	code := strings.ReplaceAll(string(file), `.Expect(t, "N1")`, ".Run(t)")
	code = code[strings.Index(code, "func increment("):]
	indented := strings.ReplaceAll(regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(code, "    $1"), "\t", "    ")
	require.Contains(t, string(page), indented)
}
