package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

func (a *app) walCommand() *cobra.Command {
	dump := &cobra.Command{
		Use:   "dump FILE",
		Short: "Print what a file or a directory of a log holds, one frame a line",
		Long: `Dump prints a whole log, given its directory, or one file of it: a segment, or one
copy of a register. It changes nothing and takes no lock, so it may report damage that
does not exist if the log is in use.

It judges a directory as recovery does when a replica starts, but without the replica's own
register. Each damage is an error that names file, offset and entry, and says whether
recovery refuses the log or loses only that entry. A torn tail is a line and not damage,
since every power cut may leave one; only the last segment can have one. A file is judged
alone, so its torn tail may be damage in its directory.

Dump prints everything that it can read, even after damage. The exit code is 2 for damage,
for a file that does not belong to a log, and for an unknown version.

` + cli.ExitHelp,
		Args: cli.One("file or directory of a log"),
		RunE: abandoned(func(args []string) error { return a.walDump(args[0]) }),
	}
	return cli.Group("wal", "Look into the files of a write-ahead log", dump)
}

func (a *app) walDump(name string) error {
	if _, err := os.Stat(name); err != nil {
		return cli.Usage("%v", err)
	}
	if err := a.spareLog(name); err != nil {
		return err
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return cli.Usage("%v", err)
	}
	base := filepath.Base(path)
	if err := wal.Dump(vfs.NewReadOnlyOS(filepath.Dir(path)), base, a.Out); err != nil {
		told := asTypedBy("wal", err, base, name)
		if inner := filepath.Join(name, "log"); isDirectory(inner) { // name is all of a replica
			told += "; its log is " + inner
		}
		return cli.Usage("%s", told)
	}
	return nil
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
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
