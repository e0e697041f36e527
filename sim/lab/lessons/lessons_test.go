package lessons_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/lessons"
)

const seeds = 10

// The wrong programs do harm and the right ones do none, whatever the seed; one seed is one history;
// and a lesson fits on its page.
func TestLessonsHold(t *testing.T) {
	for _, l := range lessons.All() {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			for seed := uint64(1); seed <= seeds; seed++ {
				all, err := l.Play(seed)
				require.NoError(t, err)
				require.True(t, all[0].Wrong, "the first program is wrong")
				require.False(t, all[len(all)-1].Wrong, "the last program is right")
				for i := range all {
					story := l.Tell(all, i)
					require.True(t, all[i].Holds(), "seed %d, %s\n%s", seed, all[i].Program, strings.Join(story, "\n"))
					require.LessOrEqual(t, len(story), lessons.MaxStory, strings.Join(story, "\n"))
					for _, w := range all[i].Outcome.Writes {
						if w.Stale && all[i].Wrong {
							require.Contains(t, strings.Join(story, "\n"), fmt.Sprintf("%8.3f  resource", w.At.Seconds()), "the late write is left out")
							break
						}
					}
					for _, line := range story {
						require.LessOrEqual(t, utf8.RuneCountInString(line), lab.Columns, line)
					}
				}
				if seed == 1 {
					again, err := l.Play(seed)
					require.NoError(t, err)
					require.Equal(t, all, again, "one seed, one history")
					t.Log("\n" + strings.Join(l.Tell(all, 0), "\n"))
				}
			}
		})
	}
}

// Students copy the programs: each is a function of a few lines, with a comment, in the file that its
// lesson names, and no file is without a lesson.
func TestProgramsAreAFewLinesOfTheFileThatIsNamed(t *testing.T) {
	const most = 20
	named := map[string]bool{}
	for _, l := range lessons.All() {
		named[l.File] = true
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, l.File, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, name := range l.Programs() {
			var found *ast.FuncDecl
			for _, d := range file.Decls {
				if f, is := d.(*ast.FuncDecl); is && f.Name.Name == name {
					found = f
				}
			}
			require.NotNil(t, found, "%s has no function %s", l.File, name)
			require.NotNil(t, found.Doc, "%s has no comment", name)
			require.LessOrEqual(t, fset.Position(found.End()).Line-fset.Position(found.Pos()).Line+1, most, "lines of %s", name)
		}
	}
	for _, name := range []string{"doc.go", "lesson.go", "harm.go", "tell.go", "others.go", "systems.go", "lessons_test.go"} {
		named[name] = true
	}
	all, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, name := range all {
		require.True(t, named[name], "%s belongs to no lesson", name)
	}
	info, err := os.Stat(filepath.Join("..", "..", "..", lessons.Directory))
	require.NoError(t, err)
	require.True(t, info.IsDir())
}
