package main

import (
	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/runner"
)

// versions is the JSON form of `chubby version`.
type versions struct {
	runner.Build
	TraceFormat    int `json:"trace_format"`
	ManifestFormat int `json:"manifest_format"`
}

func (a *app) versionCommand() *cobra.Command {
	var form cli.Form
	c := &cobra.Command{
		Use:   "version",
		Short: "Print which source and which Go this program was built from",
		Args:  cli.None(""),
		RunE: func(*cobra.Command, []string) error {
			if err := form.Check(); err != nil {
				return err
			}
			v := versions{a.build(), runner.TraceFormat, runner.ManifestFormat}
			if form == "json" {
				return a.Document(versionSchema, v)
			}
			modified := ""
			if v.Modified {
				modified = ", modified"
			}
			return a.Printf("commit   %s%s\nprogram  %s\ngo       %s %s/%s\ntrace    format %d\n",
				v.Commit, modified, v.Program, v.Go, v.GOOS, v.GOARCH, v.TraceFormat)
		},
	}
	form.Register(c)
	return c
}
