package cli

import (
	"os"
	"path/filepath"
)

// stated is a file that is open.
type stated interface{ Stat() (os.FileInfo, error) }

// SameFile says whether two files are one, by whatever names or links.
func SameFile(a, b os.FileInfo) bool { return a != nil && b != nil && os.SameFile(a, b) }

// Stat looks at a file that is named, "-" being stdin; nil if there is none.
func (s *Streams) Stat(name string) os.FileInfo {
	if name != "-" {
		info, _ := os.Stat(name)
		return info
	}
	if f, ok := s.In.(stated); ok {
		info, _ := f.Stat()
		return info
	}
	return nil
}

// Spare refuses a file to be written, which a flag names, if it is the input, or a
// directory.
func (s *Streams) Spare(input, flag, output string) error {
	in, out := s.Stat(input), s.Stat(output)
	switch {
	case out != nil && out.IsDir():
		return Usage("--%s %s: a directory; name a file", flag, output)
	case SameFile(in, out):
		return Usage("--%s %s: the same file as the input %s, which it would overwrite; name another file", flag, output, InputName(input))
	}
	return nil
}

// Writable refuses, before anything is done, a file to be written, which a flag names: if it has no
// name, is a directory or one of the inputs, or is to lie in a directory that is not there.
func (s *Streams) Writable(flag, file string, inputs ...string) error {
	if file == "" {
		return Usage("--%s: no file is named", flag)
	}
	for _, input := range append([]string{""}, inputs...) {
		if err := s.Spare(input, flag, file); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return Usage("--%s %s: %v", flag, file, err)
	}
	return nil
}

// SpareInput refuses a stdout that is one of the inputs: what is printed would be
// written into what is still to be read, and would damage it.
func (s *Streams) SpareInput(inputs ...string) error {
	f, ok := s.Out.(stated)
	if !ok {
		return nil
	}
	out, err := f.Stat()
	if err != nil || !out.Mode().IsRegular() {
		return nil
	}
	for _, input := range inputs {
		if SameFile(s.Stat(input), out) {
			return Usage("stdout is the input %s, which it would overwrite; redirect it to another file", input)
		}
	}
	return nil
}

// InputName is what messages call an input.
func InputName(file string) string {
	if file == "-" {
		return "stdin"
	}
	return file
}
