package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli/clitest"
)

// top are the directories at the top of the tree that documents name files of.
const top = `(?:client|cmd|db|docs|internal|linearizability|paxos|replica|sim|snapshot|wal)/`

var (
	// fileNamed is a file of the tree, in code or between words: a{b,c}.go are two. What a link leads to
	// is another test's.
	fileNamed = regexp.MustCompile(`(?:^|[^\w./(-])(` + top + `[\w./{},-]*\.(?:go|txt|md|diff|jsonl?))\b`)
	// placeNamed is a directory or a file without an ending, which is code by itself.
	placeNamed = regexp.MustCompile("`(" + top + "[a-z0-9_/]+)`")
	braces     = regexp.MustCompile(`^(.*)\{([^}]*)\}(.*)$`)
)

// pathsIn are the paths of this tree that a text names.
func pathsIn(text string) []string {
	var all []string
	for _, m := range fileNamed.FindAllStringSubmatch(text, -1) {
		parts := braces.FindStringSubmatch(m[1])
		if parts == nil {
			all = append(all, m[1])
			continue
		}
		for _, name := range strings.Split(parts[2], ",") {
			all = append(all, parts[1]+name+parts[3])
		}
	}
	for _, m := range placeNamed.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

func TestTheFilesThatDocumentsNameAreThere(t *testing.T) {
	named := 0
	for name, text := range clitest.Documents(t, project) {
		for _, path := range pathsIn(text) {
			named++
			if _, err := os.Stat(filepath.Join(project, path)); err != nil {
				t.Errorf("%s names %s, which is not in the tree", name, path)
			}
		}
	}
	require.Greater(t, named, 200)
}

func TestPathsAreFoundInATextOfAnyForm(t *testing.T) {
	text := "see `paxos/doc.go`, wal/rot_test.go; client/session/{lease,keepalive}.go and `sim/lab`, not a/paxos/x.go, `sim/lab.Run` or [x](docs/x.md)"
	require.Equal(t, []string{"paxos/doc.go", "wal/rot_test.go", "client/session/lease.go", "client/session/keepalive.go", "sim/lab"}, pathsIn(text))
}
