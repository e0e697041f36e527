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

// Build compiles the command with the mutant in it, to the file out. Everything
// else it writes goes below dir. The tree is left alone.
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

// what names it in errors.
func (m Mutant) what() string {
	if len(m.Patch.files) == 0 {
		return "the program without a bug"
	}
	return "mutant " + m.ID
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
