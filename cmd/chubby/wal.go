package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/spf13/cobra"
)

func (a *app) walCommand() *cobra.Command {
	dump := &cobra.Command{
		Use:   "dump FILE",
		Short: "Print what a file or a directory of a log holds, one frame a line",
		Long: `Dump prints a segment, one copy of a register, or, given a directory, all of
the log in it. It changes nothing and takes no lock. Damage is told with file
and offset, after all that can be read; like a file that is none of a log, or of
an unknown version, it gives exit code 2. A torn tail is a line and no damage, as
every power cut may leave one.

` + exitHelp,
		Args: one("file or directory of a log"),
		RunE: func(_ *cobra.Command, args []string) error { return a.walDump(args[0]) },
	}
	return group("wal", "Look into the files of a write-ahead log", dump)
}

func (a *app) walDump(name string) error {
	if _, err := os.Stat(name); err != nil {
		return usage("%v", err)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return usage("%v", err)
	}
	base := filepath.Base(path)
	if err := wal.Dump(vfs.NewReadOnlyOS(filepath.Dir(path)), base, a.out); err != nil {
		return usage("%s", asTypedBy("wal", err, base, name))
	}
	return nil
}

// asTypedBy is an error, or several, about files that a package knows from base
// on, with the path from where the user stands.
func asTypedBy(pkg string, err error, base, typed string) string {
	typed = strings.TrimRight(typed, string(filepath.Separator))
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, pkg+": "+base); ok {
			lines[i] = typed + rest
		} else {
			lines[i] = typed + ": " + line
		}
	}
	return strings.Join(lines, "\n")
}
