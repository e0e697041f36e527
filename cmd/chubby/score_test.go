package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
)

// score runs a campaign over the tree's two planted bugs.
func score(t *testing.T, w *world, root string, args ...string) (code int, s scored, report string) {
	code = w.do(append([]string{"sim", "mutants", "--repo", root, "--report", "score.md", "--seeds", "5", "-o", "json"}, args...)...)
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &s), w.err.String())
	require.Equal(t, campaignSchema, schema.Accept(t, projectAt, w.out.Bytes()))
	text, err := os.ReadFile("score.md")
	require.NoError(t, err)
	return code, s, string(text)
}

func TestACampaignGoesOnWhereItWas(t *testing.T) {
	root := plant(t)
	t.Chdir(t.TempDir())
	w := newWorld()
	code, s, report := score(t, w, root, "--starts", "2", "A1")
	require.Equal(t, cli.ExitClean, code)
	require.Equal(t, []int{2, 2, 0}, []int{s.Hunts, s.New, s.Wrong})
	require.Contains(t, report, "**The campaign is not over**: 1 of 2 bugs")
	require.Contains(t, report, "| A1 | A | 2 of 2 | S1 |  | 3 |")
	require.Contains(t, report, "| B1 | A | not hunted |")
	require.Contains(t, report, "`chubby sim mutants --report score.md --starts 2 --from 1 --seeds 5 --cpu 10m0s`")

	code, s, report = score(t, w, root, "--starts", "2", "--versus", "all", "--sample", "1")
	require.Equal(t, cli.ExitBroken, code, "B1 survives")
	require.Equal(t, []int{6, 4, 1}, []int{s.Hunts, s.New, s.Wrong}, "A1 with all faults, and B1")
	require.NotContains(t, report, "is not over")
	require.Contains(t, report, "| B1 | A | 0 of 2 |")
	require.Contains(t, report, "## swarm against all")

	code, s, again := score(t, w, root, "--starts", "2")
	require.Equal(t, cli.ExitBroken, code)
	require.Zero(t, s.New)
	require.Equal(t, strings.ReplaceAll(report, "--sample 1", "--sample 20"), again, "what the book has is reported, the comparison included")

	require.NoError(t, os.WriteFile(filepath.Join(root, "cmd/chubby/more.go"), []byte("package main\n"), 0o644))
	require.Equal(t, cli.ExitUsage, w.do("sim", "mutants", "--repo", root, "--report", "score.md", "--seeds", "5"))
	require.Regexp(t, `^chubby: score.jsonl: the campaign cannot go on: the book is of another program, or of other bounds: source \w+ \(this is \w+\); --onward goes on with it, --fresh begins it anew\n$`, w.err.String())
	require.Equal(t, cli.ExitUsage, w.do("sim", "mutants", "--repo", root, "--report", "score.md", "--seeds", "5", "--from", "2", "--onward"))
	require.Contains(t, w.err.String(), "another one: --from 1 (this is 2); --fresh begins it anew")
	require.Equal(t, cli.ExitUsage, w.do("sim", "mutants", "--repo", root, "--report", "score.md", "--onward", "--fresh"))
	require.Equal(t, cli.ExitUsage, w.do("sim", "mutants", "--repo", root, "--report", ""), "as from an unset shell variable")
	require.Contains(t, w.err.String(), "--report: no file is named")
	_, s, report = score(t, w, root, "--starts", "2", "--onward", "--versus", "all", "--sample", "1")
	require.Equal(t, []int{8, 2, 1}, []int{s.Hunts, s.New, s.Wrong}, "B1, which was missed; catches of A1 stand")
	require.Regexp(t, `(?m)^\| A1 \|.*\| 1 \| [^|]*\|$`, report)
	require.Regexp(t, `(?m)^\| B1 \|.*\| 2 \| [^|]*\|$`, report)
	require.NoError(t, os.WriteFile(filepath.Join(root, "cmd/chubby/more.go"), []byte("package main\n\nvar more int\n"), 0o644))
	_, s, _ = score(t, w, root, "--starts", "2", "--onward", "A1")
	require.Zero(t, s.New, "catches of A1 stand")
	_, s, report = score(t, w, root, "--starts", "3", "--onward", "--versus", "all", "--sample", "2", "A1")
	require.Equal(t, 2, s.New, "one start more: both ways")
	require.Contains(t, report, "| A1 | 3 of 3 | 3 of 3 |")
	_, s, _ = score(t, w, root, "--starts", "1", "--fresh", "A1")
	require.Equal(t, 1, s.New)
	require.NoError(t, os.WriteFile(filepath.Join(root, "cmd/chubby/more.go"), []byte("package main\n"), 0o644))
	_, s, report = score(t, w, root, "--starts", "1", "--onward", "--versus", "all", "--sample", "1", "A1")
	require.Equal(t, 2, s.New, "nothing to compare the catch with, unless it is hunted again beside the other way")
	require.Contains(t, report, "| A1 | 1 of 1 | 1 of 1 |")
	_, s, _ = score(t, w, root, "--starts", "1", "--fresh", "--date", "2001-02-03")
	require.Equal(t, []int{2, 2, 1}, []int{s.Hunts, s.New, s.Wrong})
	require.Equal(t, "2001-02-03", s.Terms.Date)
}

// Hunts that ended stay when the user interrupts; a hunt under way does not count.
func TestAnInterruptedCampaignReportsWhatItHas(t *testing.T) {
	root := plant(t)
	t.Chdir(t.TempDir())
	w := newWorld()
	_, s, _ := score(t, w, root, "--starts", "1", "A1")
	require.Equal(t, 1, s.Hunts)
	w.err.Reset()
	w.out.Reset()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	code := w.run(ctx, []string{"sim", "mutants", "--repo", root, "--report", "score.md", "--seeds", "5", "--starts", "1"})
	require.Equal(t, cli.ExitInterrupted, code)
	require.Contains(t, w.err.String(), "the same command goes on where this was")
	require.Equal(t, "score.md: 1 hunts, 0 of them new; 0 bugs wrong\n", w.out.String())
}

// The report and its book may lie in the tree they are about; sources that
// differ are said to differ.
func TestACampaignKnowsItsCommit(t *testing.T) {
	root := plant(t)
	run := func(args ...string) {
		_, err := git(root, append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		require.NoError(t, err, args)
	}
	run("init", "-q")
	run("add", ".")
	run("commit", "-q", "-m", "all", "--date", "2001-02-03T04:05:06Z")
	t.Chdir(root)
	w := newWorld()
	_, s, report := score(t, w, root, "--starts", "1", "A1")
	require.Len(t, s.Terms.Commit, 40)
	require.False(t, s.Terms.Modified)
	require.Regexp(t, `\| 1 \| \w{40} \| \d\d\d\d-\d\d-\d\d \|`, report)
	run("add", ".")
	_, s, _ = score(t, w, root, "--starts", "1", "--fresh", "A1")
	require.False(t, s.Terms.Modified, "but for the report")
	require.NoError(t, os.WriteFile("cmd/chubby/more.go", []byte("package main\n"), 0o644))
	_, s, _ = score(t, w, root, "--starts", "1", "--fresh", "A1")
	require.True(t, s.Terms.Modified)
}

func TestTwoCampaignsDoNotShareABook(t *testing.T) {
	root := plant(t)
	t.Chdir(t.TempDir())
	free, err := hold("score.jsonl")
	require.NoError(t, err)
	w := newWorld()
	require.Equal(t, cli.ExitUsage, w.do("sim", "mutants", "--repo", root, "--report", "score.md", "A1"))
	require.Equal(t, "chubby: --report: another campaign is at work on score.jsonl\n", w.err.String())
	free()
	_, s, _ := score(t, w, root, "--starts", "1", "A1")
	require.Equal(t, 1, s.Hunts)
}
