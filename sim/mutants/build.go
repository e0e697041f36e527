package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build compiles the command with the mutant in it, to the file out. Everything
// else it writes goes below dir. The tree is left alone.
func (m Mutant) Build(ctx context.Context, root, dir, out string) error {
	overlay, err := m.overlay(root, dir)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", out, "./cmd/chubby")
	cmd.Dir = root
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("mutant %s does not build: %w\n%s", m.ID, err, strings.TrimSpace(said.String()))
	}
	return nil
}

// overlay writes the changed files and the list that tells the go command of
// them, and returns the list's path.
func (m Mutant) overlay(root, dir string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	changed, err := m.Apply(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for path, text := range changed {
		to := filepath.Join(dir, m.ID, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(root, filepath.FromSlash(path))] = to
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, m.ID, "overlay.json")
	return path, os.WriteFile(path, list, 0o644)
}

// Root finds the module's root: dir or the nearest folder above it whose go.mod
// is this module's.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/chubbycell/chubby\n") {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not inside the source tree of github.com/chubbycell/chubby: planted bugs are built from source", dir)
		}
	}
}
