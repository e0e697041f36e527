package server

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestADirectoryIsMadeWithThoseAboveIt(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a", "b/c/d", "b/c/d", ".", filepath.Join(t.TempDir(), "e", "f")} {
		require.NoError(t, makeDir(name))
		require.DirExists(t, name)
	}
	require.NoError(t, os.WriteFile("file", nil, 0o600))
	require.ErrorContains(t, makeDir("file"), "dir: ")
	require.Error(t, makeDir("file/below"))
}

// A directory that root restored or copied is named, with what helps.
func TestADirectoryOfAnotherUserIsNamed(t *testing.T) {
	c := Config{Dir: "/var/lib/chubby"}
	err := c.forUser(&fs.PathError{Op: "open", Path: "/var/lib/chubby/member.json", Err: syscall.EACCES})
	require.EqualError(t, err, "open /var/lib/chubby/member.json: permission denied: dir /var/lib/chubby and all in it must belong to the user that runs the replica")
	require.False(t, MayPass(err))
	other := errors.New("x")
	require.Equal(t, other, c.forUser(other))
	require.NoError(t, c.forUser(nil))
	if os.Getuid() == 0 {
		return // root may read what others may not
	}
	c.Dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(c.Dir, memberFile), nil, 0))
	require.ErrorContains(t, c.CheckDir(false), "must belong to the user that runs the replica")
}
