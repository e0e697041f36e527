package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheBuildIsKnown(t *testing.T) {
	b := ThisBuild()
	require.NotEmpty(t, b.Commit)
	require.NotEmpty(t, b.Go)
	require.NotEmpty(t, b.GOARCH)
	t.Chdir("/")
	if outside := ThisBuild(); outside.Commit != "unknown" {
		require.Equal(t, b.Commit, outside.Commit, "stamped by the go command, wherever it is run")
	}
}

// Git is asked once for a tree: what was built from it does not change with it.
func TestGitIsAskedOnceForATree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("it needs git, which the machines of .ci/run have")
	}
	dir := t.TempDir()
	ask := func() Build {
		b := Build{Commit: UnknownCommit}
		b.askGit("example.org/asked")
		return b
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/asked\n"), 0o600))
	for _, args := range [][]string{{"init", "-q"}, {"add", "go.mod"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "a"}} {
		_, err := git(dir, args...)
		require.NoError(t, err)
	}
	t.Chdir(dir)
	b := ask()
	require.Len(t, b.Commit, 40)
	require.False(t, b.Modified)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "more"), nil, 0o600))
	require.Equal(t, b, ask())
	t.Chdir(t.TempDir())
	require.Equal(t, UnknownCommit, ask().Commit, "outside of the tree")
}

// A program that go install fetched has no stamp, but has the version of its module.
func TestTheVersionOfAFetchedModuleStandsForItsCommit(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "v1.2.3", "v0.0.0-20261125030000-0123456789ab": "v0.0.0-20261125030000-0123456789ab", "(devel)": "unknown", "": "unknown"} {
		b := Build{Commit: UnknownCommit}
		b.readStamp(&debug.BuildInfo{Main: debug.Module{Path: chubbyModule, Version: version}})
		require.Equal(t, want, b.Commit)
		require.Equal(t, want, b.Short())
	}
	b := Build{Commit: UnknownCommit}
	b.readStamp(&debug.BuildInfo{Main: debug.Module{Path: chubbyModule, Version: "v1.2.3+dirty"}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}}})
	require.Equal(t, "0123456789ab", b.Short())
}

// The build of a program of another module names the version of this module.
func TestABuildOfAnotherModule(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Path: "example.org/cells"}, Deps: []*debug.Module{{Path: "example.org/a", Version: "v9"}, {Path: chubbyModule, Version: "v1.2.3"}}}
	stamp := func() Build {
		b := Build{Commit: "c0ffee"}
		b.readStamp(info)
		return b
	}
	require.Equal(t, Build{Commit: "c0ffee", Chubby: "v1.2.3"}, stamp())
	info.Deps[1].Replace = &debug.Module{Path: "example.org/fork", Version: "v2"}
	require.Equal(t, Build{Commit: "c0ffee", Chubby: "example.org/fork v2"}, stamp())
	info.Deps[1].Replace = &debug.Module{Path: "../chubby", Version: "(devel)"}
	require.Equal(t, Build{Commit: "c0ffee", Chubby: "../chubby", Modified: true}, stamp(), "what is in that directory is not known")
	info.Main.Path = chubbyModule
	require.Equal(t, Build{Commit: "c0ffee"}, stamp())

	m := Manifest{Build: Build{Commit: "c0ffee", Chubby: "v1.2.3"}, TraceFormat: TraceFormat}
	require.Equal(t, []string{"chubby v1.2.2 (this is v1.2.3)"}, (&Manifest{Build: Build{Commit: "c0ffee", Chubby: "v1.2.2"}, TraceFormat: TraceFormat}).Differences(m.Build))
	require.Empty(t, m.Differences(m.Build))
}
