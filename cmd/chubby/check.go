package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/linearizability"
)

type checkFlags struct {
	model   string
	format  string
	steps   int64
	memory  string
	timeout time.Duration
	all     bool
	page    string
	form    cli.Form

	pageAsked bool // --page is there
}

// searchMemory is the default of --memory.
const searchMemory = "1G"

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check --model " + strings.Join(linearizability.ModelNames(), "|") + " FILE",
		Short: "Check a history of any system for linearizability",
		Long: `Check reads a history from FILE or, for "-", from stdin, and decides whether it
is linearizable. It reads

  jsonl  one JSON object a line; go doc ./linearizability describes it
  edn    histories of Jepsen, one map an operation, and of Porcupine's tests
  log    logs of Jepsen, lines of jepsen.util; other lines are passed over

and detects the format unless --format gives it. Models: register and cas (one value; with
cas, a failed cas in a foreign history found another value, and otherwise had no effect for
whatever reason), kv (many values, with append), set, queue (first in, first out), mutex
(Knossos': it knows no owner), lock (a holder that acquires it again is granted it, and only
the holder may release it), and file (jsonl only).

If a value of a register or a key was read and never written, check finds it without a
search. It decides a queue without a search, too, unless equal values or dequeues of unknown
outcome make it hard. Check searches each partition, such as a key, for a few steps before
it searches any for many steps. The first illegal partition ends the search and is explained:
its shortest prefix without an order, and what that contradicts. For an undecided partition
check says which bound ended its search. An interrupt ends the search too: check prints what
it knows by then, with exit code 130; a second interrupt ends at once.

If calls have positions in an order that the system proposes ("slot" in jsonl, as in the files
of chubby sim --out), check first replays that order, which takes no time. A legal order is
a proof: then the verdict is legal even if the search, a second opinion, stays undecided.

-o json prints one object, docs/schema/chubby-check-1.json. -o junit prints a report for
CI systems: a case for each partition.

` + cli.ExitHelp,
		Example: `  chubby check --model register history.jsonl
  chubby check --model cas store/etcd/latest/history.edn --page bad.html
  zcat history.jsonl.gz | chubby check --model kv --memory 4G --timeout 10m -`,
		Args: cli.One("file of the history, or -"),
		RunE: func(c *cobra.Command, args []string) error {
			f.pageAsked = c.Flags().Changed("page")
			return a.check(c.Context(), f, args[0])
		},
	}
	c.Flags().StringVar(&f.model, "model", "", "what the history is judged against")
	c.Flags().StringVar(&f.format, "format", "", "jsonl, edn or log (default: found out)")
	c.Flags().Int64Var(&f.steps, "steps", 0, "model steps that a partition may take until it is undecided (0: no bound)")
	c.Flags().StringVar(&f.memory, "memory", searchMemory, "about how much the search of a partition may remember, such as 512M or 4GiB; the process needs half as much again, and the history")
	c.Flags().DurationVar(&f.timeout, "timeout", 0, "real time after which what is undecided stays so, such as 10m (0: no bound)")
	c.Flags().BoolVar(&f.all, "all", false, "search every partition, also after one was found illegal, and explain each, ten at most")
	c.Flags().StringVar(&f.page, "page", "", "write Porcupine's picture of a bad history to this HTML file")
	f.form.RegisterJudged(c)
	c.Flags().SortFlags = false
	return c
}

// options checks what was asked for.
func (f *checkFlags) options() (o linearizability.Options, err error) {
	if err := f.form.CheckJudged(); err != nil {
		return o, err
	}
	switch {
	case f.model == "":
		return o, cli.Usage("--model is missing: one of %v", linearizability.ModelNames())
	case f.format != "" && !slices.Contains(linearizability.Formats(), f.format):
		return o, cli.Usage("--format %q: one of %v", f.format, linearizability.Formats())
	case f.steps < 0:
		return o, cli.Usage("--steps %d: at least 0", f.steps)
	case f.timeout < 0:
		return o, cli.Usage("--timeout %v: at least 0", f.timeout)
	}
	o.Format = linearizability.Format(f.format)
	o.Budget = linearizability.Budget{Steps: f.steps, All: f.all}
	if f.steps == 0 {
		o.Budget.Steps = linearizability.Unbounded
	}
	if o.Budget.Bytes, err = cli.ParseSize(f.memory); err != nil {
		return o, cli.Usage("--memory %q: %v", f.memory, err)
	}
	return o, nil
}

// checkPage refuses, before anything is read, a page that could not be written after the search.
func (a *app) checkPage(page string, asked bool, input string) error {
	switch {
	case !asked:
		return nil
	case page == "-":
		return cli.Usage("--page -: a page is a file; stdout has the report")
	}
	if err := a.Writable("page", page, input); err != nil {
		return err
	}
	there, err := os.Lstat(page)
	made := errors.Is(err, os.ErrNotExist)
	if there != nil && there.Mode()&(os.ModeNamedPipe|os.ModeDevice) != 0 {
		return nil // which may wait for its reader
	}
	f, err := os.OpenFile(page, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return cli.Usage("--page: %v", err)
	}
	f.Close()
	if made {
		return os.Remove(page) // a history that is legal has none
	}
	return nil
}

// stop has a search end with the context, or when its time is over.
func (f *checkFlags) stop(ctx context.Context) func() bool {
	end := time.Now().Add(f.timeout)
	return func() bool { return ctx.Err() != nil || f.timeout > 0 && time.Now().After(end) }
}

// residentMemory is about what a search that may remember so much needs, with what the collector has
// not freed yet and the history of a file; one from stdin is not known.
func (a *app) residentMemory(search int64, file string) int64 {
	const program = 128 << 20
	if search > math.MaxInt64/4 {
		return math.MaxInt64
	}
	resident := search + search/2 + program
	if info := a.Stat(file); info != nil && info.Mode().IsRegular() && info.Size() < math.MaxInt64/16 {
		resident += 4 * info.Size()
	}
	return resident
}

// tellSearch tells on stderr, now and then, how far a search is.
func (a *app) tellSearch(began time.Time) func(linearizability.Progress) {
	told := began
	return func(p linearizability.Progress) {
		now := a.now()
		if now.Sub(told) < a.telling {
			return
		}
		told = now
		what := "explaining what was found"
		if !p.Explaining {
			what = fmt.Sprintf("%d of %d partitions decided, %d steps, at %q (%d operations)", p.Decided, p.Partitions, p.Steps, p.Partition, p.Operations)
		}
		a.Say("%4.0f s  %s", now.Sub(began).Seconds(), what)
	}
}

// check checks a file. An interrupt abandons the reading of it, of which nothing can be told, and
// ends a search, of which is told what is known.
func (a *app) check(ctx context.Context, f checkFlags, file string) error {
	began := a.now()
	o, err := f.options()
	if err != nil {
		return err
	}
	if err := a.SpareInput(file); err != nil {
		return err
	}
	if err := a.checkPage(f.page, f.pageAsked, file); err != nil {
		return err
	}
	a.limit(a.residentMemory(o.Budget.Bytes, file))
	o.Budget.Stop, o.Budget.Told = f.stop(ctx), a.tellSearch(began)
	in := a.input(ctx, file)
	defer in.Close()
	var page lazyFile
	if f.page != "" {
		page.name = f.page
		o.Page = &page
	}
	r, err := linearizability.CheckFile(in, f.model, o)
	err = errors.Join(err, page.Close())
	if failure := new(cli.Failure); errors.As(err, &failure) {
		return failure
	}
	if err != nil {
		return cli.Usage("%s: %v%s", cli.InputName(file), err, historyBeside(file))
	}
	if r.Operations == 0 {
		return cli.Usage("no operations in %s", cli.InputName(file))
	}
	if ctx.Err() != nil && r.Verdict != linearizability.Legal {
		r.Interrupt()
	}
	return a.tellChecked(f, &r, began, file)
}

// historyBeside says where the history of a run is, for a file that is none and lies beside it, as the other
// files of a failure do.
func historyBeside(file string) string {
	beside := filepath.Join(filepath.Dir(file), "history.jsonl")
	if _, err := os.Stat(beside); file == "-" || err != nil || filepath.Base(file) == filepath.Base(beside) {
		return ""
	}
	return fmt.Sprintf("; the history of this run is %s", beside)
}

// tellChecked prints a report, and returns its exit code as an error.
func (a *app) tellChecked(f checkFlags, r *linearizability.Report, began time.Time, file string) (err error) {
	switch f.form {
	case cli.FormJSON:
		err = a.Document(checkSchema, r)
	case cli.FormJUnit:
		err = a.JUnit(junitOf(r, a.now().Sub(began), a.start+" "+checkAgain(f, file)))
	default:
		_, err = io.WriteString(a.Out, r.Text())
	}
	switch {
	case err != nil:
		return cli.Internal(err)
	case r.Conflict():
		return cli.Internal(fmt.Errorf("%s: the two checks contradict each other", file))
	case r.Interrupted:
		return cli.Exit(cli.ExitInterrupted)
	case r.Verdict == linearizability.Illegal:
		return cli.Exit(cli.ExitBroken)
	case r.Verdict == linearizability.Undecided:
		return cli.Exit(cli.ExitUndecided)
	}
	return nil
}

// input opens an input and reads it, until the context ends. Errors, also of opening it, are those
// of reading from what it returns.
func (a *app) input(ctx context.Context, file string) *io.PipeReader {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { in.CloseWithError(cli.Interrupted()) })
	go func() {
		f, err := a.open(file)
		if err == nil {
			_, err = io.Copy(in, f)
			f.Close()
		}
		in.CloseWithError(err)
	}()
	return out
}

// open opens an input, "-" being stdin.
func (a *app) open(file string) (io.ReadCloser, error) {
	if info := a.Stat(file); info != nil && info.IsDir() {
		return nil, cli.Usage("%s: a directory; name the file of a history", cli.InputName(file))
	}
	if file == "-" {
		return io.NopCloser(a.In), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	return f, nil
}

// lazyFile is a file that is made when something is written to it.
type lazyFile struct {
	name string
	f    *os.File
}

func (l *lazyFile) Write(b []byte) (n int, err error) {
	if l.f == nil {
		if l.f, err = os.Create(l.name); err != nil {
			return 0, err
		}
	}
	return l.f.Write(b)
}

func (l *lazyFile) Close() error {
	if l.f == nil {
		return nil
	}
	return l.f.Close()
}
