package clitest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Documents are the files that people read first, by path below the project, which is at
// the directory root.
func Documents(t *testing.T, root string) map[string]string {
	all := map[string]string{}
	paths := []string{filepath.Join(root, "README.md"), filepath.Join(root, "DESIGN.md")}
	for _, pattern := range []string{"*.md", filepath.Join("decisions", "*.md")} {
		found, err := filepath.Glob(filepath.Join(root, "docs", pattern))
		require.NoError(t, err)
		paths = append(paths, found...)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		name, err := filepath.Rel(root, path)
		require.NoError(t, err)
		all[filepath.ToSlash(name)] = string(text)
	}
	return all
}

// Commands are the command lines of chubby in documents, in order and each once, without
// comments and what the shell does with the output.
func Commands(t *testing.T, documents map[string]string) []string {
	var all []string
	for _, text := range documents { // order-free: sorted below
		for _, m := range regexp.MustCompile(`(?m)^ {4,}go run ./cmd/chubby ((?:'[^'\n]*'|[^'#|>\n])*)`).FindAllStringSubmatch(text, -1) {
			all = append(all, strings.TrimSpace(m[1]))
		}
	}
	slices.Sort(all)
	require.NotEmpty(t, all)
	return slices.Compact(all)
}
