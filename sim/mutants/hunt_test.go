package mutants

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// program stands in for cmd/chubby. It prints the report of `chubby sim -o json` for the requested seeds. Mutants
// change its function rule, which says which seeds fail.
const program = `package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
)

func rule(seed int) (property string, fails bool) {
	return "", false
}

func main() {
	from, seeds := 1, 10
	for i, a := range os.Args {
		switch a {
		case "--from":
			from, _ = strconv.Atoi(os.Args[i+1])
		case "--seeds":
			seeds, _ = strconv.Atoi(os.Args[i+1])
		case "--slow":
			wait := make(chan os.Signal, 1)
			signal.Notify(wait, os.Interrupt)
			<-wait
		}
	}
	for n := 0; n < seeds; n++ {
		if property, fails := rule(from + n); fails {
			fmt.Printf("{\"totals\":{\"seeds\":%d,\"counted\":%d},\"failures\":[{\"seed\":%d,\"property\":%q,\"conformance\":%t,\"text\":\"seen\"}]}", n+1, n, from+n, property, property == "S9")
			os.Exit(1)
		}
	}
	fmt.Printf("{\"totals\":{\"seeds\":%d,\"counted\":%d},\"failures\":[]}", seeds, seeds)
}
`

// tree makes a source tree that builds quickly.
func tree(t *testing.T) string {
	root := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("go.mod", "module github.com/chubbycell/chubby\n\ngo 1.26\n")
	write("cmd/chubby/main.go", program)
	return root
}

// harmless is the body of rule in the program without a bug.
const harmless = `return "", false`

// planted returns a mutant whose rule has the body line.
func planted(t *testing.T, id, header, line string) Mutant {
	return replaced(t, id, header, harmless, line)
}

func replaced(t *testing.T, id, header, was, line string) Mutant {
	m, err := parse(fmt.Sprintf(`# id: %s
# title: a bug
# %s
--- a/cmd/chubby/main.go
+++ b/cmd/chubby/main.go
@@ -10,3 +10,3 @@
 func rule(seed int) (property string, fails bool) {
-	%s
+	%s
 }
`, id, header, was, line))
	require.NoError(t, err)
	return m
}

const bugA = "property: S1, I-A2\n# priority: A"

func TestHuntsEndAsTheyShould(t *testing.T) {
	root := tree(t)
	for name, c := range map[string]struct {
		header, line string
		want         Catch
		wrong        bool
	}{
		"a bug breaks what its header says": {bugA, `return "I-A2", seed == 104`,
			Catch{Outcome: Caught, Property: "I-A2", Expected: true, Seed: 104, Seeds: 5, Text: "seen"}, false},
		"a bug breaks something else": {bugA, `return "S6", seed == 100`,
			Catch{Outcome: Caught, Property: "S6", Seed: 100, Seeds: 1, Text: "seen"}, false},
		"a bug diverges from the shipped code": {bugA, `return "S9", seed == 100`,
			Catch{Outcome: Caught, Property: "S9", Conformance: true, Seed: 100, Seeds: 1, Text: "seen"}, false},
		"a bug survives": {bugA, `return "S1", seed == 99`,
			Catch{Outcome: Survived, Seeds: 10}, true},
		"one of lower priority may": {"property: L1\n# priority: C", `return "S1", seed == 99`,
			Catch{Outcome: Survived, Seeds: 10}, false},
		"the hunt goes on behind a crash": {bugA, `if seed == 102 { return "", true }; return "S1", seed == 104`,
			Catch{Outcome: Caught, Property: "S1", Expected: true, Seed: 104, Seeds: 5, Crashes: 1, Text: "seen"}, false},
		"a crash alone is no catch": {bugA, `return "", seed == 102`,
			Catch{Outcome: Crashed, Seed: 102, Seeds: 11, Crashes: 1, Text: "seen"}, true},
		"a checker that the bug confuses is a crash": {bugA,
			`if seed == 102 { fmt.Print("{\"totals\":{\"seeds\":3},\"failures\":[{\"seed\":102,\"text\":\"internal\"}]}"); os.Exit(5) }; return "S1", seed == 104`,
			Catch{Outcome: Caught, Property: "S1", Expected: true, Seed: 104, Seeds: 5, Crashes: 1, Text: "seen"}, false},
		"crashes without end": {bugA, `return "", true`,
			Catch{Outcome: Crashed, Seed: 119, Seeds: 20, Crashes: 20, Text: "seen"}, true},
		"a control survives": {"control: yes", `return "", seed < 0`,
			Catch{Outcome: Survived, Seeds: 10}, false},
		"a control is caught": {"control: yes", `return "L1", true`,
			Catch{Outcome: Caught, Property: "L1", Seed: 100, Seeds: 1, Text: "seen"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := Hunt{Root: root, Dir: t.TempDir(), From: 100, Seeds: 10}
			got, err := h.Run(context.Background(), planted(t, "T1", c.header, c.line))
			require.NoError(t, err)
			require.Positive(t, got.Elapsed)
			require.Equal(t, c.wrong, got.IsWrong())
			c.want.ID, c.want.Title, c.want.Priority, c.want.Control = "T1", "a bug", got.Priority, got.Control
			c.want.Elapsed, c.want.CPU = got.Elapsed, got.CPU
			require.Equal(t, c.want, got)
			left, err := filepath.Glob(filepath.Join(h.Dir, "*.bin"))
			require.NoError(t, err)
			require.Empty(t, left, "programs are large: none stays")
		})
	}
	text, err := os.ReadFile(filepath.Join(root, "cmd/chubby/main.go"))
	require.NoError(t, err)
	require.Equal(t, program, string(text), "the tree is left alone")
}

// A seed that breaks a property without the bug, too, is no catch, and the hunt goes on.
func TestACatchNeedsASeedThatIsCleanWithoutTheBug(t *testing.T) {
	root, ctx := tree(t), context.Background()
	const alarm = `return "S6", seed == 103`
	text := strings.Replace(program, harmless, alarm, 1)
	require.NoError(t, os.WriteFile(filepath.Join(root, "cmd/chubby/main.go"), []byte(text), 0o644))
	h := Hunt{Root: root, Dir: t.TempDir(), From: 100, Seeds: 10, Clean: &Clean{}}
	for line, want := range map[string]Catch{
		`return "S1", seed == 103 || seed == 105`: {Outcome: Caught, Property: "S1", Expected: true, Seed: 105, Seeds: 6, Unclean: 1, Dirty: 103, Text: "seen"},
		`return "S1", seed == 105`:                {Outcome: Caught, Property: "S1", Expected: true, Seed: 105, Seeds: 6, Text: "seen"},
		`return "S1", seed == 103`:                {Outcome: Survived, Seeds: 11, Unclean: 1, Dirty: 103},
		`return "", seed == 103 || seed == 105`:   {Outcome: Crashed, Seed: 105, Seeds: 12, Crashes: 1, Unclean: 1, Dirty: 103, Text: "seen"},
	} {
		got, err := h.Run(ctx, replaced(t, "T1", bugA, alarm, line))
		require.NoError(t, err)
		want.ID, want.Title, want.Priority = "T1", "a bug", "A"
		want.Elapsed, want.CPU = got.Elapsed, got.CPU
		require.Equal(t, want, got, line)
	}

	require.NoError(t, os.WriteFile(filepath.Join(root, "cmd/chubby/main.go"), []byte("package main\n\nfunc main() { 7 }\n"), 0o644))
	require.ErrorContains(t, (&Clean{}).build(ctx, h), "the program without a bug does not build")
}

func TestABugThatCannotBeHuntedIsWrong(t *testing.T) {
	root := tree(t)
	for name, c := range map[string]struct{ line, text string }{
		"it does not compile":        {"return 7", "mutant T1 does not build"},
		"the whole program panics":   {`panic("out of order")`, "panic: out of order"},
		"the program ends by itself": {`os.Exit(5); return "", false`, "exit status 5"},
		"the program says nothing":   {`os.Exit(0); return "", false`, "wrote no report"},
	} {
		t.Run(name, func(t *testing.T) {
			h := Hunt{Root: root, Dir: t.TempDir(), From: 1, Seeds: 10}
			got, err := h.Run(context.Background(), planted(t, "T1", bugA, c.line))
			require.NoError(t, err)
			require.Equal(t, Unbuilt, got.Outcome)
			require.True(t, got.IsWrong())
			require.Contains(t, got.Text, c.text)
		})
	}
}

// An interrupt that reaches the program says nothing about the bug.
func TestAnInterruptIsNoOutcome(t *testing.T) {
	h := Hunt{Root: tree(t), Dir: t.TempDir(), From: 1, Seeds: 10}
	for _, code := range []string{"130", "143"} {
		_, err := h.Run(context.Background(), planted(t, "T1", bugA, `os.Exit(`+code+`); return "", false`))
		require.ErrorContains(t, err, "T1 was not hunted to the end")
	}
}

func TestAHuntEndsWhenItIsCanceled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	h := Hunt{Root: tree(t), Dir: t.TempDir(), Args: []string{"--slow"}}
	_, err := h.Run(ctx, planted(t, "T1", bugA, `return "S1", true`))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// With a bound of processor time, seeds run in portions. The number of seeds until the catch is the same as without.
func TestAHuntEndsByProcessorTime(t *testing.T) {
	root := tree(t)
	for name, c := range map[string]struct {
		line string
		hunt Hunt
		want Catch
	}{
		"a catch in the third portion": {`return "S1", seed == 140`, Hunt{CPU: time.Hour},
			Catch{Outcome: Caught, Property: "S1", Expected: true, Seed: 140, Seeds: 41, Text: "seen"}},
		"no catch in as many seeds": {`return "S1", seed == 99`, Hunt{CPU: time.Hour, Seeds: 40},
			Catch{Outcome: Survived, Seeds: 40}},
		"a crash before the catch": {`if seed == 120 { return "", true }; return "S1", seed == 140`, Hunt{CPU: time.Hour, Seeds: 60},
			Catch{Outcome: Caught, Property: "S1", Expected: true, Seed: 140, Seeds: 41, Crashes: 1, Text: "seen"}},
		"the first portion takes longer than all may": {`for n := 0; n < 5_000_000; n++ { seed ^= n }; return "S1", seed == 0`, Hunt{CPU: time.Millisecond},
			Catch{Outcome: Survived, Seeds: portion}},
	} {
		t.Run(name, func(t *testing.T) {
			h := c.hunt
			h.Root, h.Dir, h.From = root, t.TempDir(), 100
			got, err := h.Run(context.Background(), planted(t, "T1", bugA, c.line))
			require.NoError(t, err)
			c.want.ID, c.want.Title, c.want.Priority = "T1", "a bug", "A"
			c.want.Elapsed, c.want.CPU = got.Elapsed, got.CPU
			require.Equal(t, c.want, got)
			require.NotEmpty(t, got.CPU)
		})
	}
}

// Plant builds a mutant once for several chases.
func TestAPlantedBugIsChasedSeveralTimes(t *testing.T) {
	h := Hunt{Root: tree(t), Dir: t.TempDir(), Seeds: 10}
	for line, want := range map[string][]Outcome{
		`return "S1", seed == 104`: {Survived, Caught},
		`return 7`:                 {Unbuilt, Unbuilt},
	} {
		var got []Outcome
		require.NoError(t, h.Plant(context.Background(), planted(t, "T1", bugA, line), func(chase Chase) error {
			for _, h.From = range []uint64{1, 100} {
				c, err := chase(context.Background(), h)
				require.NoError(t, err)
				got = append(got, c.Outcome)
			}
			return nil
		}))
		require.Equal(t, want, got)
	}
	left, err := filepath.Glob(filepath.Join(h.Dir, "*.bin"))
	require.NoError(t, err)
	require.Empty(t, left)
}
