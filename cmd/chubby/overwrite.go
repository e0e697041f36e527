package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stated is a file that is open.
type stated interface{ Stat() (os.FileInfo, error) }

// isSameFile reports whether two files are one, by whatever names or links.
func isSameFile(a, b os.FileInfo) bool { return a != nil && b != nil && os.SameFile(a, b) }

// stat looks at a file that is named, "-" being stdin; nil if there is none.
func (a *app) stat(name string) os.FileInfo {
	if name != "-" {
		info, _ := os.Stat(name)
		return info
	}
	if f, ok := a.in.(stated); ok {
		info, _ := f.Stat()
		return info
	}
	return nil
}

// checkOutput refuses a file to be written, which a flag names, if it is the input, or a
// directory.
func (a *app) checkOutput(input, flag, output string) error {
	in, out := a.stat(input), a.stat(output)
	switch {
	case out != nil && out.IsDir():
		return usage("--%s %s: a directory; name a file", flag, output)
	case isSameFile(in, out):
		return usage("--%s %s: the same file as the input %s, which it would overwrite; name another file", flag, output, inputName(input))
	}
	return nil
}

// checkStdout refuses a stdout that is one of the inputs: the output would be written
// into what is still to be read, and would damage it.
func (a *app) checkStdout(inputs ...string) error {
	f, ok := a.out.(stated)
	if !ok {
		return nil
	}
	out, err := f.Stat()
	if err != nil || !out.Mode().IsRegular() {
		return nil
	}
	for _, input := range inputs {
		if isSameFile(a.stat(input), out) {
			return usage("stdout is the input %s, which it would overwrite; redirect it to another file", input)
		}
	}
	return nil
}

// checkStdoutOfLog is checkStdout for a file of a log, or all of a directory.
func (a *app) checkStdoutOfLog(name string) error {
	inputs := []string{name}
	entries, _ := os.ReadDir(name) // a file has none
	for _, e := range entries {
		inputs = append(inputs, filepath.Join(name, e.Name()))
	}
	return a.checkStdout(inputs...)
}

// checkReport refuses files that --report would write, if they are one, a directory, or
// what hunts are built from.
func checkReport(root, report, book string) error {
	r, _ := os.Stat(report)
	b, _ := os.Stat(book)
	if r != nil && r.IsDir() {
		return usage("--report %s: a directory; name a file", report)
	}
	if isSameFile(r, b) {
		return usage("--report %s: the same file as the book, %s; name another file", report, book)
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return internal(err)
		}
		name := d.Name()
		switch {
		case d.IsDir() && path != root && strings.HasPrefix(name, "."):
			return filepath.SkipDir
		case d.IsDir() || name != "go.mod" && name != "go.sum" && filepath.Ext(name) != ".go" && filepath.Ext(name) != ".diff":
			return nil
		}
		source, err := os.Stat(path)
		if err == nil && (isSameFile(source, r) || isSameFile(source, b)) {
			return usage("--report %s: this would overwrite %s, which hunts are built from; name another file", report, path)
		}
		return nil
	})
}
