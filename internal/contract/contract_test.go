package contract

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/typecheck"
)

const root = "../.."

var (
	try  = flag.String("try", "", "which changes to try: all, how many, or the beginning of a number")
	turn = flag.Int("turn", 0, "which sample of that many; every turn has another one")
)

func read(t *testing.T) List {
	text, err := os.ReadFile(filepath.Join(root, "replica", "CONTRACT.md"))
	require.NoError(t, err)
	l, err := Parse(string(text))
	require.NoError(t, err)
	return l
}

func TestTheListAndTheTreeAgree(t *testing.T) {
	require.NoError(t, read(t).Check(root))
}

// A change that does not compile breaks no test: the code around it has changed.
func TestEveryChangeCompilesWithTheTestThatItBreaks(t *testing.T) {
	module, err := typecheck.Load(root)
	require.NoError(t, err)
	for _, c := range read(t).Changes {
		text, err := c.Apply(root)
		if err == nil {
			err = module.CheckTest(map[string]string{c.File: text}, c.Package)
		}
		if err != nil {
			t.Errorf("%v: it does not compile: %v", c, err)
		}
	}
}

// chosen are the changes that the flags ask for.
func chosen(all []Change) (some []Change) {
	if *try == "all" {
		return all
	}
	if n, err := strconv.Atoi(*try); err == nil {
		return Sample(all, n, *turn)
	}
	for _, c := range all {
		if *try != "" && strings.HasPrefix(c.ID, *try) {
			some = append(some, c)
		}
	}
	return some
}

// Each change of the list breaks its test. Building takes long, so it is asked for
// by -try; the package comment has the commands.
func TestTheChangesBreakTheirTests(t *testing.T) {
	if *try == "" {
		t.Skip("no change is to be tried: -try N tries N of them, -try all every one; .ci/run tries 20")
	}
	some := chosen(read(t).Changes)
	require.NotEmpty(t, some, "-try %s", *try)
	t.Logf("turn %d", *turn)
	failed := 0
	for _, c := range some {
		began := time.Now()
		if err := c.Try(t.Context(), root, t.TempDir()); err != nil {
			t.Error(err)
			continue
		}
		failed++
		t.Logf("%s %s fails (%.1fs)", c.ID, c.Test, time.Since(began).Seconds())
	}
	t.Logf("%d changes tried, %d made their test fail", len(some), failed)
}
