package mutants

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chubbycell/chubby/internal/overlay"
)

// Build compiles cmd/chubby with the mutant to the file out. It writes other files only below dir, and nothing in the
// tree at root.
func (m Mutant) Build(ctx context.Context, root, dir, out string) error {
	changed, err := m.Apply(root)
	if err != nil {
		return err
	}
	list, err := overlay.Write(root, filepath.Join(dir, m.ID), changed)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", list, "-o", out, "./cmd/chubby")
	cmd.Dir = root
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s does not build: %w\n%s", m.what(), err, strings.TrimSpace(said.String()))
	}
	return nil
}

// what names the program in errors.
func (m Mutant) what() string {
	if len(m.Patch.files) == 0 {
		return "the program without a bug"
	}
	return "mutant " + m.ID
}

// Root returns the module's root: dir or the nearest directory above it that has this module's go.mod.
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
			return "", fmt.Errorf("%s is not inside the source tree of github.com/chubbycell/chubby, and this is built from source: run it in a clone", dir)
		}
	}
}
