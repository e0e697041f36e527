package mutants

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Program builds cmd/chubby of the tree at root with a diff, or of a commit, and returns the file of the program. It
// writes only below dir. If what ends in .diff or .patch, it is the file of a diff, with or without the header of a
// planted bug; otherwise it is a commit. The diff may change existing files, but neither add nor remove files.
func Program(ctx context.Context, root, dir, what string) (file string, err error) {
	file = filepath.Join(dir, "chubby.bin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if slices.Contains([]string{".diff", ".patch"}, filepath.Ext(what)) {
		m, err := plain(what)
		if err != nil {
			return "", err
		}
		return file, m.Build(ctx, root, dir, file)
	}
	return file, buildCommit(ctx, root, filepath.Join(dir, "tree"), what, file)
}

// plain reads a diff, and ignores the lines above it.
func plain(path string) (Mutant, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Mutant{}, err
	}
	lines := strings.SplitAfter(string(text), "\n")
	begin := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "--- ") || strings.HasPrefix(l, "diff ") })
	if begin < 0 {
		return Mutant{}, fmt.Errorf("%s: no unified diff", path)
	}
	m := Mutant{ID: filepath.Base(path)}
	if m.Patch, err = parsePatch(strings.Join(lines[begin:], "")); err != nil {
		return m, fmt.Errorf("%s: behind the first %d lines, %w", path, begin, err)
	}
	return m, nil
}

// buildCommit copies the files of a commit to tree, and builds them.
func buildCommit(ctx context.Context, root, tree, commit, file string) error {
	if err := os.MkdirAll(tree, 0o755); err != nil {
		return err
	}
	revision := commit + "^{commit}"
	if _, err := runIn(ctx, root, nil, "git", "rev-parse", "--verify", "--quiet", "--end-of-options", revision); err != nil {
		return fmt.Errorf("%q is neither a file nor a commit of %s", commit, root)
	}
	archive, err := runIn(ctx, root, nil, "git", "archive", "--format=tar", revision)
	if err == nil {
		_, err = runIn(ctx, tree, archive, "tar", "-xf", "-")
	}
	if err == nil {
		_, err = runIn(ctx, tree, nil, "go", "build", "-buildvcs=false", "-o", file, "./cmd/chubby")
	}
	if err != nil {
		return fmt.Errorf("commit %s does not build: %w", commit, err)
	}
	return nil
}

// runIn runs a command in a directory, and returns its stdout.
func runIn(ctx context.Context, dir string, in []byte, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(in)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(said.String()))
	}
	return out.Bytes(), nil
}
