package main

import (
	"errors"
	"os"
	"path/filepath"

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
and offset, after all that can be read, and gives exit code 1; a torn tail is a
line, as every power cut may leave one.

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
	name, err := filepath.Abs(name)
	if err != nil {
		return usage("%v", err)
	}
	err = wal.Dump(vfs.NewOS(filepath.Dir(name)), filepath.Base(name), a.out)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, wal.ErrDamaged):
		return &failure{exitBroken, err}
	}
	return &failure{exitUsage, err}
}
