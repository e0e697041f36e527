package mutants

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

var someRows = []Row{
	applied("core", "P1", "A", "a promise | is forgotten"),
	applied("core", "P2", "A", "a vote is forgotten"),
	weak("core", "P3", "B", "a page is forgotten", "needs five replicas. TestPages kills it"),
	applied("core", "P4", "B", "a slot is forgotten"),
	absent("disk", "W1", "A", "a disk is forgotten", "later, with disks"),
	applied(GroupControls, "Z1", "C", "control: nothing"),
}

func someMutants() []Mutant {
	var all []Mutant
	for _, r := range someRows {
		if r.IsPlanted() {
			all = append(all, Mutant{ID: r.ID, Title: r.Title, Priority: r.Priority, Control: r.Group == GroupControls, Digest: "d-" + r.ID})
		}
	}
	return append(all, Mutant{ID: "T9", Title: "a bug without a row", Priority: "C", Digest: "d-T9"})
}

var someTerms = Terms{
	Format: BookFormat, Source: "50urce", Go: "go1.26.8", Platform: "linux/amd64", From: 1000, Stride: 100, CPU: 10 * time.Minute,
	Commit: "c0ffee", Date: "2026-11-21", Machine: "two processors",
}

// hunted reads a line such as "P1 0 swarm caught S1 12 3.5s" or "P1 0 swarm survived 12 3.5s".
// A property such as "~S1" is that of a conformance check.
func hunted(t *testing.T, line string) Hunted {
	f := strings.Fields(line)
	h := Hunted{Faults: f[2], Diff: "d-" + f[0], Catch: Catch{ID: f[0], Outcome: Outcome(f[3])}}
	_, err := fmt.Sscan(f[1], &h.Start)
	require.NoError(t, err)
	if h.Outcome == Caught {
		h.Property, f = f[4], f[1:]
		h.Property, h.Conformance = strings.CutPrefix(h.Property, "~")
	}
	_, err = fmt.Sscan(f[4], &h.Seeds)
	require.NoError(t, err)
	h.CPU, err = time.ParseDuration(f[5])
	require.NoError(t, err)
	for _, m := range someMutants() {
		if m.ID == h.ID {
			h.Title, h.Priority, h.Control = m.Title, m.Priority, m.Control
		}
	}
	return h
}

func TestReport(t *testing.T) {
	datadriven.RunTest(t, "testdata/report.txt", func(t *testing.T, d *datadriven.TestData) string {
		require.Equal(t, "report", d.Cmd)
		r := Report{
			Book: &Book{Chapters: []Terms{someTerms}}, Mutants: someMutants(), Rows: someRows, Faults: "swarm",
			Command: "chubby sim mutants --report REPORT.md", State: "REPORT.jsonl",
		}
		d.ScanArgs(t, "starts", &r.Starts)
		d.MaybeScanArgs(t, "versus", &r.Versus)
		for _, line := range strings.Split(d.Input, "\n") {
			if commit, ok := strings.CutPrefix(line, "chapter "); ok {
				next := someTerms
				next.Commit, next.CPU = commit, time.Minute
				r.Book.Chapters = append(r.Book.Chapters, next)
				continue
			}
			h := hunted(t, line)
			h.chapter = len(r.Book.Chapters) - 1
			r.Book.Hunted = append(r.Book.Hunted, h)
		}
		var b strings.Builder
		require.NoError(t, r.Write(&b))
		return fmt.Sprintf("%swrong %d\n", b.String(), r.CountWrong())
	})
}

func TestABookGoesOnWhereItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "book.jsonl")
	m := someMutants()[0]
	b, err := OpenBook(path, someTerms, Same)
	require.NoError(t, err)
	h := hunted(t, "P1 2 swarm caught S1 12 3.5s")
	require.NoError(t, b.Add(h))
	require.NoError(t, b.Close())

	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"start":3,"fau`) // killed within a line
	require.NoError(t, err)
	require.NoError(t, f.Close())

	now := someTerms
	now.Commit, now.Machine = "dead", "four processors"
	b, err = OpenBook(path, now, Same)
	require.NoError(t, err, "another commit of the same source is the same program")
	require.Equal(t, someTerms, b.Terms(), "a campaign keeps the terms it began with")
	require.Equal(t, []Hunted{h}, b.Hunted)
	require.Equal(t, &h, b.Find(&m, 2, "swarm"))
	require.Nil(t, b.Find(&m, 3, "swarm"))
	require.Nil(t, b.Find(&m, 2, "all"))
	m.Digest = "changed"
	require.Nil(t, b.Find(&m, 2, "swarm"), "the diff is another one")
	require.NoError(t, b.Add(hunted(t, "P2 0 swarm survived 12 3.5s")))
	require.NoError(t, b.Close())

	b, err = OpenBook(path, now, Same)
	require.NoError(t, err)
	require.Len(t, b.Hunted, 2)
	require.NoError(t, b.Close())

	b, err = OpenBook(path, now, Fresh)
	require.NoError(t, err)
	require.Empty(t, b.Hunted)
	require.Equal(t, now, b.Terms())
	require.NoError(t, b.Close())
}

func TestABookOfAnotherCampaignIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "book.jsonl")
	b, err := OpenBook(path, someTerms, Same)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	for want, change := range map[string]func(*Terms){
		"source 50urce (this is 0ther)":          func(x *Terms) { x.Source = "0ther" },
		"Go go1.26.8 (this is go1.27)":           func(x *Terms) { x.Go = "go1.27" },
		"--seeds 0 (this is 9)":                  func(x *Terms) { x.Seeds = 9 },
		"--cpu 10m0s (this is 1m0s)":             func(x *Terms) { x.CPU = time.Minute },
		"platform linux/amd64 (this is plan9/x)": func(x *Terms) { x.Platform = "plan9/x" },
	} {
		other := someTerms
		change(&other)
		_, err := OpenBook(path, other, Same)
		require.ErrorIs(t, err, ErrBook)
		require.ErrorIs(t, err, ErrChapter)
		require.EqualError(t, err, path+": the campaign cannot go on: the book is of another program, or of other bounds: "+want)
	}
	for _, how := range []Opening{Same, Onward} {
		other := someTerms
		other.From, other.Source = 1, "0ther"
		_, err := OpenBook(path, other, how)
		require.ErrorIs(t, err, ErrBook)
		require.NotErrorIs(t, err, ErrChapter, "its starts have other seeds")
		require.EqualError(t, err, path+": the campaign cannot go on: the book is of another one: --from 1000 (this is 1)")
	}
	for text, want := range map[string]string{
		"hello\n":                              "line 1 is damaged",
		"{}\n":                                 "line 1 is not its terms",
		"{\"format\":99}\n":                    "the book has format 99",
		"{\"format\":1}\n":                     "the book is of another one",
		"{\"format\":1}\n{}\n{\"start\":{}}\n": "line 3 is damaged",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := OpenBook(path, someTerms, Same)
		require.ErrorIs(t, err, ErrBook)
		require.ErrorContains(t, err, want)
	}
}

// If another program continues a book, hunts for bugs that were caught from every start need not be repeated, nor those
// for controls that were never caught. A bug that was missed once is hunted again from every start.
func TestABookGoesOnWithAnotherProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "book.jsonl")
	old := someTerms
	old.Format = 1 // books of format 1 can be read
	b, err := OpenBook(path, old, Onward)
	require.NoError(t, err)
	always := []string{"P1 0 swarm caught S1 12 3.5s", "Z1 0 swarm survived 12 3.5s"}
	once := []string{"P2 0 swarm survived 12 3.5s", "P2 1 swarm caught S1 12 3.5s", "P3 0 swarm crashed 12 3.5s"}
	all := map[string]Mutant{}
	for _, m := range someMutants() {
		all[m.ID] = m
	}
	stands := func(lines []string) (n int) {
		for _, line := range lines {
			h := hunted(t, line)
			if m := all[h.ID]; b.IsSettled(&m, h.Start, h.Faults) {
				n++
			}
		}
		return n
	}
	for _, line := range append(always, once...) {
		require.NoError(t, b.Add(hunted(t, line)))
	}
	require.Equal(t, 2, stands(always))
	require.Equal(t, 3, stands(once), "this program hunted it")
	require.NoError(t, b.Close())

	now := someTerms
	now.Source, now.CPU = "0ther", time.Minute
	b, err = OpenBook(path, now, Onward)
	require.NoError(t, err)
	require.Equal(t, []Terms{old, now}, b.Chapters)
	require.Equal(t, 2, stands(always))
	require.Zero(t, stands(once), "a bug that was missed once, and a crash")
	m := all["P1"]
	require.False(t, b.IsSettled(&m, 1, "swarm"), "it was not hunted")
	m = all["P2"]
	require.NoError(t, b.Add(hunted(t, "P2 0 swarm caught S3 7 1s")))
	require.Equal(t, uint64(7), b.Find(&m, 0, "swarm").Seeds, "the last counts")
	require.Equal(t, 1, stands(once))
	require.NoError(t, b.Close())

	b, err = OpenBook(path, now, Same)
	require.NoError(t, err, "the last chapter is of this program")
	require.Len(t, b.Chapters, 2)
	require.Len(t, b.Hunted, 6)
	require.Equal(t, 1, stands(once))
	require.NoError(t, b.Add(hunted(t, "P2 1 swarm caught S3 9 1s")))
	require.NoError(t, b.Close())

	b, err = OpenBook(path, someTerms, Onward)
	require.NoError(t, err)
	require.Len(t, b.Chapters, 3)
	require.Equal(t, 2, stands(once), "the last hunts for P2 are catches")
	require.NoError(t, b.Close())
}

func TestTheSourceDigestSeesWhatIsBuilt(t *testing.T) {
	root := tree(t)
	sum := func() string {
		d, err := SourceDigest(root)
		require.NoError(t, err)
		return d
	}
	was := sum()
	for _, path := range []string{"README.md", "cmd/chubby/main_test.go", "sim/mutants/P01.diff", "cmd/testdata/x.go", ".git/x.go"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte("x"), 0o644))
		require.Equal(t, was, sum(), "%s is no part of a program", path)
	}
	for _, path := range []string{"go.sum", "cmd/chubby/more.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte("x"), 0o644))
		require.NotEqual(t, was, sum(), path)
		was = sum()
	}
}

func TestTheSampleIsAlwaysTheSame(t *testing.T) {
	root, err := Root(".")
	require.NoError(t, err)
	all, err := Load(root)
	require.NoError(t, err)
	some := Sample(all, Rows(), 20)
	require.Len(t, some, 20)
	seen := map[string]bool{}
	for _, m := range some {
		require.False(t, m.Control, m.ID)
		require.False(t, seen[m.ID], m.ID)
		seen[m.ID] = true
	}
	require.Equal(t, some, Sample(all, Rows(), 20))
	require.Len(t, Sample(someMutants(), someRows, 20), 4, "no control, none that a hunt may miss")
}
