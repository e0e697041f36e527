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
		if r.Applied() {
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
func hunted(t *testing.T, line string) Hunted {
	f := strings.Fields(line)
	h := Hunted{Faults: f[2], Diff: "d-" + f[0], Catch: Catch{ID: f[0], Outcome: Outcome(f[3])}}
	_, err := fmt.Sscan(f[1], &h.Start)
	require.NoError(t, err)
	if h.Outcome == Caught {
		h.Property, f = f[4], f[1:]
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
			Book: &Book{Terms: someTerms}, Mutants: someMutants(), Rows: someRows, Faults: "swarm",
			Command: "chubby sim mutants --report REPORT.md", State: "REPORT.jsonl",
		}
		d.ScanArgs(t, "starts", &r.Starts)
		d.MaybeScanArgs(t, "versus", &r.Versus)
		for _, line := range strings.Split(d.Input, "\n") {
			r.Book.Hunted = append(r.Book.Hunted, hunted(t, line))
		}
		var b strings.Builder
		require.NoError(t, r.Write(&b))
		return fmt.Sprintf("%swrong %d\n", b.String(), r.Wrong())
	})
}

func TestABookGoesOnWhereItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "book.jsonl")
	m := someMutants()[0]
	b, err := OpenBook(path, someTerms, false)
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
	b, err = OpenBook(path, now, false)
	require.NoError(t, err, "another commit of the same source is the same program")
	require.Equal(t, someTerms, b.Terms, "a campaign keeps the terms it began with")
	require.Equal(t, []Hunted{h}, b.Hunted)
	require.Equal(t, &h, b.Find(&m, 2, "swarm"))
	require.Nil(t, b.Find(&m, 3, "swarm"))
	require.Nil(t, b.Find(&m, 2, "all"))
	m.Digest = "changed"
	require.Nil(t, b.Find(&m, 2, "swarm"), "the diff is another one")
	require.NoError(t, b.Add(hunted(t, "P2 0 swarm survived 12 3.5s")))
	require.NoError(t, b.Close())

	b, err = OpenBook(path, now, false)
	require.NoError(t, err)
	require.Len(t, b.Hunted, 2)
	require.NoError(t, b.Close())

	b, err = OpenBook(path, now, true)
	require.NoError(t, err)
	require.Empty(t, b.Hunted)
	require.Equal(t, now, b.Terms)
	require.NoError(t, b.Close())
}

func TestABookOfAnotherCampaignIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "book.jsonl")
	b, err := OpenBook(path, someTerms, false)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	for want, change := range map[string]func(*Terms){
		"source 50urce (this is 0ther)":          func(x *Terms) { x.Source = "0ther" },
		"Go go1.26.8 (this is go1.27)":           func(x *Terms) { x.Go = "go1.27" },
		"--from 1000 (this is 1)":                func(x *Terms) { x.From = 1 },
		"--seeds 0 (this is 9)":                  func(x *Terms) { x.Seeds = 9 },
		"--cpu 10m0s (this is 1m0s)":             func(x *Terms) { x.CPU = time.Minute },
		"platform linux/amd64 (this is plan9/x)": func(x *Terms) { x.Platform = "plan9/x" },
	} {
		other := someTerms
		change(&other)
		_, err := OpenBook(path, other, false)
		require.ErrorIs(t, err, ErrBook)
		require.EqualError(t, err, path+": the campaign cannot go on: the book is of another one: "+want)
	}
	for text, want := range map[string]string{
		"hello\n":           "line 1 is not its terms",
		"{\"format\":99}\n": "the book has format 99",
		"{\"format\":1}\n":  "the book is of another one",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := OpenBook(path, someTerms, false)
		require.ErrorIs(t, err, ErrBook)
		require.ErrorContains(t, err, want)
	}
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
