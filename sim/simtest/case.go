package simtest

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/shrink"
	"github.com/chubbycell/chubby/sim/story"
)

// leftForTheEnd is the part of go test's time limit that shrinking a failure must leave.
const leftForTheEnd = 5 * time.Second

// tellCase describes what a failing seed of a cell did wrong and how, after shrinking it. With
// -sim.out it writes the case.
func (s *suite) tellCase(r *cell.Result) string {
	text := s.tell(r)
	d := s.shrinking()
	if r.Internal || r.Breach == nil || d <= 0 {
		return text
	}
	ctx, stop := context.WithTimeout(s.t.Context(), d)
	defer stop()
	o := s.o.plan()
	o.Seed = r.Seed
	c, err := shrink.Shrinker{Run: runner.Guard(s.run), Jobs: s.o.Jobs}.Shrink(ctx, o)
	if err != nil {
		return before(text, fmt.Sprintf("not shrunk: %v", err))
	}
	more := ""
	if !c.Done {
		more = moreTime(d)
	}
	lines := []string{fmt.Sprintf("shrunk: from %v", c.Was), fmt.Sprintf("    to: %v, in %d runs%s", c.Is, c.Runs, more)}
	lines = append(lines, story.Tell(runner.Guard(s.run), c.Options, c.Was.Faults)...)
	text = before(text, strings.Join(lines, "\n  "))
	if s.flags.out == "" {
		return text + "\n-sim.out=DIR also writes the shrunk case for " + s.o.replayer() + ", traces, page and history"
	}
	file, err := runner.WriteCase(filepath.Join(s.directory(), fmt.Sprintf("seed-%d", r.Seed)), runner.ThisBuild(), s.run, &c)
	if err != nil {
		return text + fmt.Sprintf("\ncannot write the shrunk case: %v", err)
	}
	return text + "\nshrunk case, for " + s.o.replayer() + ": " + file + s.writeStory(r.Seed, text)
}

// writeStory writes the report of a failing seed, with its story and the command that runs it again, into the directory of
// -sim.out. It returns a line that names the file.
func (s *suite) writeStory(seed uint64, text string) string {
	s.t.Helper()
	return "\nits story: " + s.write(seed, runner.StoryFile, func(w io.Writer) error {
		_, err := io.WriteString(w, text+"\n")
		return err
	})
}

// shrinking returns for how long a failure may be shrunk: what the flag says, within the time limit
// of go test.
func (s *suite) shrinking() time.Duration {
	d := s.flags.shrink
	if t, ok := s.t.(interface{ Deadline() (time.Time, bool) }); ok {
		if at, ok := t.Deadline(); ok {
			d = min(d, time.Until(at)-leftForTheEnd)
		}
	}
	return d
}

// moreTime says that a search ended before all was tried, and with which flag it may go on.
func moreTime(d time.Duration) string {
	return fmt.Sprintf("; time ran out, -sim.shrink=%v may shrink it further", 4*max(time.Second, d.Round(time.Second)))
}

// before inserts lines before the last line of a text; "": none.
func before(text, lines string) string {
	if lines == "" {
		return text
	}
	i := strings.LastIndexByte(text, '\n')
	return text[:i+1] + lines + text[i:]
}

// printCell prints everything that happens in one seed of a cell.
func (s *suite) printCell(seed uint64, to printed) {
	o := s.o.plan()
	o.Seed = seed
	o.Trace.Node = to.node
	(&moments.Printer{W: to.w, Only: to.only}).Watch(&o)
	runner.Guard(s.run)(o)
}

// tellFailures describes every failing seed, the shortest with its story, and keeps them.
func (s *suite) tellFailures() {
	s.t.Helper()
	if len(s.failed) == 0 {
		return
	}
	texts := make([]string, len(s.failed))
	first := s.shortest()
	texts[first] = s.tellStory(&s.failed[first])
	for i := range s.failed {
		r := &s.failed[i]
		if i != first {
			texts[i] = s.tell(r)
		}
		if s.again[r.Seed] {
			s.t.Errorf("%s: a kept seed fails again: %s\n%s", s.t.Name(), s.kept.file(r.Seed), texts[i])
		} else {
			s.t.Errorf("%s%s", texts[i], s.keep(r))
		}
	}
}

// tellStory describes one failing seed with its story, unless the seed is not one history.
func (s *suite) tellStory(r *cell.Result) string {
	if s.story == nil || s.flags.trace {
		return s.tell(r)
	}
	if text := s.other(r); text != "" {
		s.differs = true
		return before(s.tell(r), text)
	}
	return s.story(r)
}

// keep keeps a failing seed, and says so in a line; "": it is not kept.
func (s *suite) keep(r *cell.Result) string {
	s.t.Helper()
	if s.kept == nil || s.flags.trace || s.differs || r.Internal || !r.Failed() {
		return ""
	}
	file, err := s.kept.keep(r)
	if err != nil {
		s.t.Fatalf("simtest: a seed that failed cannot be kept: %v", err)
	}
	return "\nthe next run starts with it: " + file
}

// other runs a failing seed once more, unchanged, and says so if the history or the verdict
// differs; "": both are the same. A seed that is not one history cannot be shrunk, and its number
// does not reproduce anything.
func (s *suite) other(r *cell.Result) string {
	if r.Internal {
		return ""
	}
	o := s.o.plan()
	o.Seed = r.Seed
	t := runner.Guard(s.run)(o)
	if !t.Internal && t.Hash == r.Hash && (t.Breach.Same(r.Breach) || r.Breach == nil && t.Breach == nil) {
		return ""
	}
	return fmt.Sprintf(`not deterministic: two runs of the seed differ, so it is neither shrunk nor kept; Verify shows where
  the first:  hash %s: %s
  the second: hash %s: %s`, r.Hash, headline(r), t.Hash, headline(&t))
}

// headline returns the first line of a verdict.
func headline(r *cell.Result) string {
	line, _, _ := strings.Cut(runner.Verdict(r), "\n")
	return line
}

// runAgain runs the kept seeds. Those that fail again are the first failed seeds of the test.
func (s *suite) runAgain() {
	s.t.Helper()
	if s.kept == nil || s.flags.seed > 0 {
		return
	}
	failed, passed := s.kept.again(s.run, s.o.plan())
	if len(passed) > 0 {
		s.t.Logf("%s: failed before, now clean: seed %s", s.kept.dir, strings.Join(passed, ", "))
	}
	s.again = map[uint64]bool{}
	for _, r := range failed {
		s.again[r.Seed] = true
	}
	s.failed = append(s.failed, failed...)
}

// ran returns all seeds that ran, except kept ones that are clean now.
func (s *suite) ran() []runner.SeedHash {
	all := slices.Clone(s.all)
	for i := range s.failed {
		r := &s.failed[i]
		if !slices.ContainsFunc(all, func(h runner.SeedHash) bool { return h.Seed == r.Seed }) {
			all = append(all, hashOf(r))
		}
	}
	return all
}

// hasFailed reports whether a seed broke something, or is undecided.
func (s *suite) hasFailed(seed uint64) bool {
	return slices.ContainsFunc(s.failed, func(r cell.Result) bool { return r.Seed == seed })
}

func hashOf(r *cell.Result) runner.SeedHash {
	return runner.SeedHash{Seed: r.Seed, Hash: r.Hash, Counted: r.Counted, Broken: r.Broke()}
}
