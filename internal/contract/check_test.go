package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sound is a change that breaks its test. It is of a package that builds quickly.
var sound = Change{
	ID: "C1.01", Package: "internal/draw", Test: "TestDrawsArePinned", File: "internal/draw/draw.go", At: 7,
	Old: "x ^= x >> 30", New: "x ^= x >> 29",
}

const good = `# A list

| C1.01 | it works | tested |
| C1.02 | it works there | later: another part |

` + "```" + `diff
C1.01 internal/draw TestDrawsArePinned internal/draw/draw.go
- one
- two
+ three

C1.01 internal/draw TestDrawsArePinned/sub internal/draw/draw.go
- what goes
` + "```" + `
`

func TestAListIsRead(t *testing.T) {
	l, err := Parse(good)
	require.NoError(t, err)
	require.Equal(t, List{
		Lines: []Line{
			{ID: "C1.01", Text: "it works", Status: Tested, At: 3},
			{ID: "C1.02", Text: "it works there", Status: Later, Why: "another part", At: 4},
		},
		Changes: []Change{
			{ID: "C1.01", Package: "internal/draw", Test: "TestDrawsArePinned", File: "internal/draw/draw.go", Old: "one\ntwo", New: "three", At: 7},
			{ID: "C1.01", Package: "internal/draw", Test: "TestDrawsArePinned/sub", File: "internal/draw/draw.go", Old: "what goes", At: 12},
		},
	}, l)
}

func TestWhatIsNoListIsRefusedWithItsLine(t *testing.T) {
	for old, c := range map[string]struct{ now, want string }{
		"| C1.01 |":       {"| C1.1 |", `line 3: "C1.1" is no number`},
		"it works |":      {" |", "line 3: C1.01 says nothing"},
		"| tested |":      {"| done |", `line 3: C1.01 has the status "done"`},
		"tested |":        {"tested: hard |", "line 3: C1.01 is"},
		": another part":  {"", "line 4: C1.02 is"},
		"works there":     {"works | there", "line 4: a row has number, statement and status"},
		"TestDrawsArePin": {"Pin", "line 7: "},
		"- one":           {"one", `line 8: "one" is no part of a change`},
		"- two":           {"+ two\n- two", `line 10: "- two" is no part of a change`},
		"- what goes":     {"+ what comes", `line 13: "+ what comes" is no part of a change`},
	} {
		require.Contains(t, good, old)
		_, err := Parse(strings.Replace(good, old, c.now, 1))
		require.ErrorContains(t, err, c.want, old)
	}
}

// whole is a list of all numbers, of which the first is tested.
func whole() (l List) {
	for part, n := range Parts {
		for i := range n {
			l.Lines = append(l.Lines, Line{ID: fmt.Sprintf("C%d.%02d", part+1, i+1), Status: Later, Why: "x", At: 1 + len(l.Lines)})
		}
	}
	l.Lines[0].Status = Tested
	l.Changes = []Change{sound}
	return l
}

func TestWhatDoesNotAgreeIsFound(t *testing.T) {
	require.NoError(t, whole().Check(root))
	for want, spoil := range map[string]func(*List){
		"C17.12 is missing":                           func(l *List) { l.Lines = l.Lines[:len(l.Lines)-1] },
		"line 3: C1.03 stands where C1.02 belongs":    func(l *List) { l.Lines = slices.Delete(l.Lines, 1, 2) },
		"line 2: C1.02 stands where C1.03 belongs":    func(l *List) { l.Lines = slices.Insert(l.Lines, 2, l.Lines[1]) },
		"line 9: C18.01 stands where nothing belongs": func(l *List) { l.Lines = append(l.Lines, Line{ID: "C18.01", At: 9}) },
		"C1.01 is not tested, says its row":           func(l *List) { l.Lines[0].Status = Later },
		"line 2: C1.02 is tested, and no change":      func(l *List) { l.Lines[1].Status = Tested },
		"there is no such test":                       func(l *List) { l.Changes[0].Test = "TestNothing" },
		"no such file":                                func(l *List) { l.Changes[0].File = "internal/draw/none.go" },
		"stands there 0 times":                        func(l *List) { l.Changes[0].Old = "no such text" },
		`"return" stands there`:                       func(l *List) { l.Changes[0].Old = "return" },
		"it does not parse any more":                  func(l *List) { l.Changes[0].New = "x ^= x >>" },
		"that changes nothing":                        func(l *List) { l.Changes[0].New = l.Changes[0].Old },
		"no change of the product":                    func(l *List) { l.Changes[0].File = "internal/draw/draw_test.go" },
	} {
		l := whole()
		spoil(&l)
		require.ErrorContains(t, l.Check(root), want)
	}
}

func TestATrialTellsABrokenTestFromAllElse(t *testing.T) {
	require.NoError(t, sound.Try(t.Context(), root, t.TempDir()))
	for want, spoil := range map[string]func(*Change){
		"it does not compile":            func(c *Change) { c.New = "x ^= y" },
		"the test still passes":          func(c *Change) { c.New = "x ^= x >> (29 + 1)" },
		"something fails, but not that":  func(c *Change) { c.Test = "TestDrawsArePinned/none" },
		"line 7: C1.01, TestDrawsArePin": func(c *Change) { c.Old = "no such text" },
	} {
		c := sound
		spoil(&c)
		require.ErrorContains(t, c.Try(t.Context(), root, t.TempDir()), want)
	}
}

// As many turns in a row as there are samples try each change once.
func TestSamplesTakeTurns(t *testing.T) {
	for n := range 50 {
		all := make([]Change, n)
		for i := range all {
			all[i].At = i
		}
		for _, size := range []int{1, 7, 20, 60} {
			tried := make([]int, n)
			for turn := range (n + size - 1) / size {
				some := Sample(all, size, turn+3*((n+size-1)/size))
				require.LessOrEqual(t, len(some), size)
				for _, c := range some {
					tried[c.At]++
				}
			}
			for _, k := range tried {
				require.Equal(t, 1, k)
			}
		}
		require.Empty(t, Sample(all, 0, 1))
	}
}
