package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/mutants"
	"github.com/chubbycell/chubby/wal/vfs"
)

const (
	mostStarts = 100       // of a campaign
	stride     = 1_000_000 // seeds between two starts
)

// campaignDefaults are those of flags that were not given: processors are
// shared, so a campaign bounds processor time and nothing else.
func (f *mutantFlags) campaignDefaults() {
	if !f.asked("seeds") {
		f.seeds = 0
	}
	if !f.asked("for") {
		f.limit = 0
	}
	if !f.asked("cpu") {
		f.cpu = 10 * time.Minute
	}
}

// scored is the JSON form of `chubby sim mutants --report`.
type scored struct {
	Report      string        `json:"report"`
	Book        string        `json:"book"`
	Terms       mutants.Terms `json:"terms"`
	Starts      int           `json:"starts"`
	Hunts       int           `json:"hunts"` // that the book has
	New         int           `json:"new"`   // of them, by this run
	Wrong       int           `json:"wrong"` // bugs of priority A missed, controls caught, bugs that do not build
	Interrupted bool          `json:"interrupted"`
	Exit        int           `json:"exit"`
}

// scoring is a campaign under way.
type scoring struct {
	*app
	flags *mutantFlags
	hunt  mutants.Hunt
	out   scored

	mu   sync.Mutex // the book belongs to all workers
	book *mutants.Book
	err  error // that ended it
	left int
}

// errand is a worker's task: all missing hunts for one bug, with one choice of faults,
// or with both.
type errand struct {
	mutant mutants.Mutant
	hunts  []mutants.Hunted // their Start and Faults
}

// score runs a campaign over some of the tree's bugs and writes its report.
func (a *app) score(ctx context.Context, f *mutantFlags, hunt mutants.Hunt, tree, some []mutants.Mutant) error {
	terms, err := a.terms(f, hunt.Root)
	if err != nil {
		return cli.Internal(err)
	}
	path := strings.TrimSuffix(f.report, filepath.Ext(f.report)) + ".jsonl"
	if path == f.report {
		return cli.Usage("--report %s: the book has this name; call the report .md", f.report)
	}
	if err := spareSource(hunt.Root, f.report, path); err != nil {
		return err
	}
	free, err := hold(path)
	if err != nil {
		return cli.Usage("--report: %v", err)
	}
	defer free()
	book, err := mutants.OpenBook(path, terms, f.opening())
	switch {
	case errors.Is(err, mutants.ErrChapter):
		return cli.Usage("%v; --onward goes on with it, --fresh begins it anew", err)
	case errors.Is(err, mutants.ErrBook):
		return cli.Usage("%v; --fresh begins it anew", err)
	case err != nil:
		return cli.Usage("--report: %v", err)
	}
	s := &scoring{app: a, flags: f, hunt: hunt, book: book}
	s.hunt.Jobs = 1 // seeds until the catch are then the seeds that were paid for
	s.out = scored{Report: f.report, Book: path, Starts: f.starts}
	err = s.run(ctx, s.errands(tree, some))
	if err = errors.Join(err, s.write(tree), book.Close()); err != nil {
		return cli.Internal(err)
	}
	return s.finish()
}

// opening is what becomes of a book of another program.
func (f *mutantFlags) opening() mutants.Opening {
	switch {
	case f.fresh:
		return mutants.Fresh
	case f.onward:
		return mutants.Onward
	}
	return mutants.Same
}

// hold keeps other campaigns from a book, on systems that can lock files.
func hold(path string) (free func(), err error) {
	lock, err := vfs.NewOS(filepath.Dir(path)).Lock(filepath.Base(path))
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return func() {}, nil
	case errors.Is(err, vfs.ErrLocked):
		return nil, fmt.Errorf("another campaign is at work on %s", path)
	case err != nil:
		return nil, err
	}
	return func() { lock.Close() }, nil
}

// terms are those of this campaign.
func (a *app) terms(f *mutantFlags, root string) (mutants.Terms, error) {
	source, err := mutants.SourceDigest(root)
	t := mutants.Terms{
		Format: mutants.BookFormat, Source: source, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		From: f.from, Stride: stride, Seeds: f.seeds, CPU: f.cpu, For: f.limit, Commit: "unknown", Date: f.date, Machine: machine(),
	}
	if commit, err := git(root, "rev-parse", "HEAD"); err == nil {
		t.Commit = commit
		// The report itself may lie in the tree.
		changes, err := git(root, "status", "--porcelain", "--", "*.go", "*.diff", "go.mod", "go.sum")
		t.Modified = err != nil || changes != ""
		if date, err := git(root, "show", "-s", "--format=%cs", "HEAD"); err == nil && t.Date == "" {
			t.Date = date
		}
	}
	return t, err
}

// machine is a line about what the hunts run on.
func machine() string {
	line := fmt.Sprintf("%s/%s, %d processors, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return line // another system than Linux
	}
	for l := range strings.Lines(string(text)) {
		if name, model, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(name) == "model name" {
			return line + ", " + strings.TrimSpace(model)
		}
	}
	return line
}

// errands are the hunts that do not stand in the book.
func (s *scoring) errands(tree, some []mutants.Mutant) []errand {
	var all []errand
	sample := mutants.Sample(tree, mutants.Rows(), s.flags.sample)
	for _, m := range some {
		e := errand{mutant: m}
		compared := s.flags.versus != "" && slices.ContainsFunc(sample, func(o mutants.Mutant) bool { return o.ID == m.ID })
		hunt := func(start int, faults string) {
			e.hunts = append(e.hunts, mutants.Hunted{Start: start, Faults: faults, Diff: m.Digest})
		}
		for start := range s.flags.starts {
			stands := s.book.IsSettled(&m, start, s.flags.faults)
			if compared && (!stands || !s.book.IsCompared(&m, start, s.flags.faults, s.flags.versus)) {
				for _, faults := range []string{s.flags.faults, s.flags.versus} {
					if !s.book.HasInChapter(&m, start, faults) { // what a former program hunted is compared with nothing of this one
						hunt(start, faults)
					}
				}
			} else if !stands {
				hunt(start, s.flags.faults)
			}
		}
		s.left += len(e.hunts)
		if len(e.hunts) > 0 {
			all = append(all, e)
		}
	}
	return all
}

// run runs the errands, several at a time.
func (s *scoring) run(ctx context.Context, all []errand) error {
	if s.left > 0 {
		s.Say("%d hunts to come, %d in %s", s.left, len(s.book.Hunted), s.out.Book)
	}
	hunting, giveUp := context.WithCancel(ctx)
	defer giveUp()
	cli.InOrder(hunting, s.flags.jobs, uint64(len(all)), func(i uint64) error { return s.do(hunting, all[i]) }, func(err error) {
		if err != nil && hunting.Err() == nil {
			s.err = err
			giveUp()
		}
	})
	s.out.Interrupted = ctx.Err() != nil
	return s.err
}

// do builds a bug and hunts it from every start that is missing.
func (s *scoring) do(ctx context.Context, e errand) error {
	return s.hunt.Plant(ctx, e.mutant, func(chase mutants.Chase) error {
		for _, h := range e.hunts {
			hunt := s.hunt
			hunt.From, hunt.Args = s.book.Terms().First(h.Start), []string{"--faults", h.Faults}
			c, err := chase(ctx, hunt)
			if err != nil {
				return err
			}
			h.Catch = c
			if err := s.note(h); err != nil {
				return err
			}
		}
		return nil
	})
}

// note writes a hunt into the book and to stderr.
func (s *scoring) note(h mutants.Hunted) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.New++
	s.left--
	s.Say("%-6s start %d, %s: %s; %d to come", h.ID, h.Start, h.Faults, outcome(&h.Catch), s.left)
	return s.book.Add(h)
}

// write writes the report of all the book has.
func (s *scoring) write(tree []mutants.Mutant) error {
	f := s.flags
	r := mutants.Report{
		Book: s.book, Mutants: tree, Rows: mutants.Rows(), Starts: f.starts, Faults: f.faults, Versus: f.versus,
		Command: s.command(), State: filepath.Base(s.out.Book),
	}
	if r.Versus == "" { // compared before, with what the book has
		r.Versus = s.versus()
	}
	s.out.Terms, s.out.Hunts, s.out.Wrong = s.book.Terms(), len(s.book.Hunted), r.CountWrong()
	var text strings.Builder
	if err := r.Write(&text); err != nil {
		return err
	}
	return os.WriteFile(f.report, []byte(text.String()), 0o644)
}

// versus are the faults of another kind than the campaign's that the book knows.
func (s *scoring) versus() string {
	for _, h := range s.book.Hunted {
		if h.Faults != s.flags.faults {
			return h.Faults
		}
	}
	return ""
}

// command is the line that makes the whole report, whatever was left to this run.
func (s *scoring) command() string {
	f := s.flags
	line := fmt.Sprintf("chubby sim mutants --report %s --starts %d --from %d", filepath.ToSlash(f.report), f.starts, f.from)
	for _, bound := range []struct {
		flag  string
		value any
		given bool
	}{{"seeds", f.seeds, f.seeds > 0}, {"for", f.limit, f.limit > 0}, {"cpu", f.cpu, f.cpu > 0}} {
		if bound.given {
			line += fmt.Sprintf(" --%s %v", bound.flag, bound.value)
		}
	}
	if f.faults != "swarm" {
		line += " --faults " + f.faults
	}
	if versus := s.versus(); versus != "" {
		line += fmt.Sprintf(" --versus %s --sample %d", versus, f.sample)
	}
	return line
}

// finish prints how the campaign ended.
func (s *scoring) finish() error {
	switch {
	case s.out.Interrupted:
		s.out.Exit = cli.ExitInterrupted
	case s.out.Wrong > 0:
		s.out.Exit = cli.ExitBroken
	}
	if s.out.Interrupted {
		s.Warn("interrupted; the same command goes on where this was")
	}
	if s.flags.form == "json" {
		if err := s.Document(campaignSchema, s.out); err != nil {
			return err
		}
		return cli.Exit(s.out.Exit)
	}
	if err := s.Printf("%s: %d hunts, %d of them new; %d bugs wrong\n", s.out.Report, s.out.Hunts, s.out.New, s.out.Wrong); err != nil {
		return err
	}
	return cli.Exit(s.out.Exit)
}

func git(root string, args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
	return strings.TrimSpace(string(out)), err
}
