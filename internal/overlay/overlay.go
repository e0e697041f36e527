// Package overlay is test support: it lets the go command build the module with
// some files changed, and leaves the tree alone.
package overlay

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Write writes the new text of files below dir, which is the caller's own, and the
// list that the go command's -overlay takes, whose path it returns. Files are named
// from root, the module's root, with slashes.
func Write(root, dir string, changed map[string]string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { // where nothing is changed
		return "", err
	}
	replace := map[string]string{}
	for path, text := range changed { // order-free: each has a file of its own
		to := filepath.Join(dir, filepath.FromSlash(path))
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
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o644)
}
