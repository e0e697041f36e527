package simcmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/runner"
)

func (a *app) mergeCommand() *cobra.Command {
	var form cli.Form
	var minCounted uint64
	var more bool
	c := &cobra.Command{
		Use:   "merge REPORT...",
		Short: "Combine the reports of shards into one",
		Long: `Merge reads reports of chubby sim --shard I/N -o json, and prints what one run over
all their seeds would print: table, JSON or JUnit, with medians, the hash of all seeds,
and failures in order of seeds. Required situations (those with a star) are judged over
all seeds. The exit code is that of such a run. It is 3 if a shard is missing; a line
on stderr names it.

All reports must be of the same program, configuration, --from, --seeds and number of
shards, and each of a different shard. Merge refuses other reports with exit code 2 and
names the file.

Real time is the sum over all shards, as if one machine had run them one after the
other. ended_by is the most serious end of all shards: interrupt, then last, idle,
failures, time and seeds.`,
		Example: "  chubby sim --seeds 10000 --shard 1/2 -o json > 1.json\n  chubby sim --seeds 10000 --shard 2/2 -o json > 2.json\n  chubby sim merge 1.json 2.json",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usage("%s takes reports of shards; none was given", c.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := form.CheckJudged(); err != nil {
				return err
			}
			for _, file := range args {
				if err := a.SpareInput(file); err != nil {
					return err
				}
			}
			return a.merge(args, form, more, minCounted)
		},
	}
	c.Flags().Uint64Var(&minCounted, "min-counted", 0, "exit with code 3 if fewer seeds counted in all shards together")
	registerMore(c, &more)
	form.RegisterJudged(c)
	c.Flags().SortFlags = false
	return c
}

// shardReport is the report of one shard, with its file.
type shardReport struct {
	report
	Schema        string `json:"schema"`
	file          string
	shard, shards uint64
}

func (a *app) merge(files []string, form cli.Form, more bool, minCounted uint64) error {
	var all []shardReport
	for _, file := range files {
		s, err := readShard(file)
		if err != nil {
			return cli.Usage("%s: %v", file, err)
		}
		for i := range all {
			if err := s.joins(&all[i]); err != nil {
				return cli.Usage("%s: %v", file, err)
			}
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(x, y shardReport) int { return cmp.Compare(x.shard, y.shard) })
	r := together(all)
	r.MinCounted = minCounted
	return teller{a}.tell(form, more, &r)
}

// readShard reads a report and checks that it is the complete report of a shard.
func readShard(file string) (shardReport, error) {
	s := shardReport{file: file}
	text, err := os.ReadFile(file)
	if unread := new(fs.PathError); errors.As(err, &unread) {
		return s, fmt.Errorf("%w: give files that chubby sim --shard I/N -o json has printed", unread.Err) // the caller names the file
	}
	if err != nil {
		return s, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("it is not a report, or is damaged: %w", err)
	}
	if d.More() {
		return s, fmt.Errorf("text follows the report; a file has one report")
	}
	if s.Schema != "" && s.Schema != simSchema {
		return s, fmt.Errorf("it is a %s, and merge reads %s", s.Schema, simSchema)
	}
	if s.Shard == "" || s.Build.Commit == "" {
		return s, fmt.Errorf("it is not the report of a shard; chubby sim --shard I/N -o json prints one")
	}
	if s.shard, s.shards, err = parseShard(s.Shard); err != nil {
		return s, fmt.Errorf("it is damaged: %w", err)
	}
	return s, s.check()
}

// check returns an error if a seed of the shard is missing from the report, or a seed does not belong to it.
func (s *shardReport) check() error {
	part := runner.Shard{Totals: s.Totals, Runs: s.Runs}
	if err := part.Check(); err != nil {
		return fmt.Errorf("it is damaged, or of a chubby that knew no merge: %w", err)
	}
	next := s.From
	for next%s.shards != s.shard-1 {
		next++
	}
	for _, r := range s.Runs {
		if r.Seed != next {
			return fmt.Errorf("it is damaged: seed %d stands where shard %s has seed %d", r.Seed, s.Shard, next)
		}
		next += s.shards
	}
	return nil
}

// joins returns why two reports cannot be shards of one run; nil if they can.
func (s *shardReport) joins(o *shardReport) error {
	differ := func(what string, this, that any) error {
		return fmt.Errorf("its %s is %v, that of %s is %v; only shards of one run can be merged", what, this, o.file, that)
	}
	switch {
	case !sameProgram(s.Build, o.Build):
		return differ("program", programName(s.Build), programName(o.Build))
	case s.shards != o.shards:
		return differ("shard", s.Shard, o.Shard)
	case s.shard == o.shard:
		return fmt.Errorf("it is shard %s, and so is %s", s.Shard, o.file)
	case s.From != o.From:
		return differ("--from", s.From, o.From)
	case s.Asked != o.Asked:
		return differ("--seeds", s.Asked, o.Asked)
	case !reflect.DeepEqual(s.Options, o.Options):
		return differ("configuration", configuration(s.Options), configuration(o.Options))
	}
	return nil
}

// configuration returns the command line of these settings, and the names of the program's additions.
func configuration(s runner.Settings) string {
	o, _ := s.Options(nil) // without the extension; its names follow below
	line := "sim" + flagsOf(o)
	if added := slices.Concat(s.With.Faults, s.With.Workloads, s.With.Properties); len(added) > 0 {
		line += " with " + strings.Join(added, ", ")
	}
	return line
}

// sameProgram reports whether two builds give equal runs. If the commit is unknown or the source was modified, the
// digests of the programs must be equal.
func sameProgram(b, c runner.Build) bool {
	if b.Go != c.Go || b.Commit != c.Commit || b.Chubby != c.Chubby {
		return false
	}
	if b.Commit == runner.UnknownCommit || b.Modified || c.Modified {
		return b.SameProgram(c)
	}
	return true
}

func programName(b runner.Build) string {
	name := b.Short()
	if b.Commit == runner.UnknownCommit || b.Modified {
		name += ", program " + cmp.Or(b.Program, "unknown")
	}
	return name + ", " + b.Go
}

// together returns the report of one run over all shards. It has the build of the first shard, and the most serious end
// of all.
func together(all []shardReport) report {
	first := all[0].report
	r := report{Build: first.Build, Options: first.Options, From: first.From, Asked: first.Asked, Wanted: first.Asked, Failures: []failedSeed{}}
	var parts []runner.Shard
	for _, s := range all {
		parts = append(parts, runner.Shard{Totals: s.Totals, Runs: s.Runs})
		r.Shards = append(r.Shards, s.Shard)
		r.Failures = append(r.Failures, s.Failures...)
		r.Interrupted = r.Interrupted || s.Interrupted
		r.GaveUp = r.GaveUp || s.GaveUp
		r.EndedBy = r.EndedBy.Or(s.EndedBy)
	}
	for i := uint64(1); i <= all[0].shards; i++ {
		if !slices.ContainsFunc(all, func(s shardReport) bool { return s.shard == i }) {
			r.Missing = append(r.Missing, fmt.Sprintf("%d/%d", i, all[0].shards))
		}
	}
	slices.SortFunc(r.Failures, func(x, y failedSeed) int { return cmp.Compare(x.Seed, y.Seed) })
	r.Totals = runner.Merge(parts)
	return r
}
