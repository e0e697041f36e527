package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/chubbycell/chubby/internal/cli"
)

// spareLog is spareInput for a file of a log, or all of a directory.
func (a *app) spareLog(name string) error {
	inputs := []string{name}
	entries, _ := os.ReadDir(name) // a file has none
	for _, e := range entries {
		inputs = append(inputs, filepath.Join(name, e.Name()))
	}
	return a.SpareInput(inputs...)
}

// spareSource refuses files that --report would write, if they are one, a directory,
// or what hunts are built from.
func spareSource(root, report, book string) error {
	r, _ := os.Stat(report)
	b, _ := os.Stat(book)
	if r != nil && r.IsDir() {
		return cli.Usage("--report %s: a directory; name a file", report)
	}
	if cli.SameFile(r, b) {
		return cli.Usage("--report %s: the same file as the book, %s; name another file", report, book)
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return cli.Internal(err)
		}
		name := d.Name()
		switch {
		case d.IsDir() && path != root && strings.HasPrefix(name, "."):
			return filepath.SkipDir
		case d.IsDir() || name != "go.mod" && name != "go.sum" && filepath.Ext(name) != ".go" && filepath.Ext(name) != ".diff":
			return nil
		}
		source, err := os.Stat(path)
		if err == nil && (cli.SameFile(source, r) || cli.SameFile(source, b)) {
			return cli.Usage("--report %s: this would overwrite %s, which hunts are built from; name another file", report, path)
		}
		return nil
	})
}
