package client_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

// What is refused because of an argument is refused with the argument and the limit.
func TestARefusalNamesTheArgument(t *testing.T) {
	l, c := newLoop()
	l.cell.leases.none = false
	ctx := t.Context()
	f, err := c.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Read | client.Write | client.ChangeACL, Create: client.CreateMay})
	require.NoError(t, err)
	open := func(path string, o client.OpenOptions) error {
		_, err := f.Open(ctx, path, o)
		_, again := c.Open(ctx, "/ls/local/f", o)
		if path == "" {
			require.Equal(t, err.Error(), again.Error())
		}
		return err
	}
	acquire := func(m client.Mode) error {
		_, err := f.Acquire(ctx, m)
		_, try := f.TryAcquire(ctx, m)
		require.ErrorIs(t, try, client.ErrInvalid)
		return err
	}
	set := func(text string) error { _, err := f.SetContents(ctx, text, 0); return err }
	acl := func(n client.ACLNames) error { _, err := f.SetACL(ctx, n, 0); return err }
	list := func(prefix string) error { _, err := c.List(ctx, prefix); return err }
	get := func(key string) error { _, err := c.Get(ctx, key); return err }
	long, big := strings.Repeat("k", 100_000), strings.Repeat("v", api.MaxValue+1)
	for _, x := range []struct {
		err  error
		is   error
		text string
	}{
		{acquire(0), client.ErrInvalid, `client: acquire "/ls/local/f": invalid: lock mode 0: give Exclusive or Shared`},
		{acquire(99), client.ErrInvalid, `client: acquire "/ls/local/f": invalid: lock mode 99: give Exclusive or Shared`},
		{open("", client.OpenOptions{Create: 77}), client.ErrInvalid, `client: open "/ls/local/f": invalid: option Create is 77: give CreateNever, CreateMay or CreateMust`},
		{open("", client.OpenOptions{Rights: 255}), client.ErrInvalid, `client: open "/ls/local/f": invalid: option Rights is 0xff: give Read, Write and ChangeACL, joined by |`},
		{open("", client.OpenOptions{Events: 255}), client.ErrInvalid, `client: open "/ls/local/f": invalid: option Events is 0xff: give WantContents and its like, joined by |`},
		{open("", client.OpenOptions{LockDelay: time.Hour}), client.ErrInvalid, `client: open "/ls/local/f": invalid: option LockDelay is 1h0m0s: give 0 to 1m0s`},
		{open("", client.OpenOptions{LockDelay: -time.Second}), client.ErrInvalid, `client: open "/ls/local/f": invalid: option LockDelay is -1s: give 0 to 1m0s`},
		{open("", client.OpenOptions{KeepLock: -5}), client.ErrInvalid, `client: open "/ls/local/f": invalid: option KeepLock is -5ns: give 0 or more`},
		{open("", client.OpenOptions{Create: client.CreateMay, Directory: true, Contents: "x"}), client.ErrInvalid, `client: open "/ls/local/f": invalid: a directory is created with contents, and has none`},
		{open("", client.OpenOptions{Create: client.CreateMay, Contents: big}), client.ErrTooLarge, `client: open "/ls/local/f": too large: contents of 262145 bytes, and at most 262144 are allowed`},
		{open("", client.OpenOptions{Create: client.CreateMay, ACL: client.ACLNames{Write: "a/b"}}), client.ErrInvalid, `client: open "/ls/local/f": invalid: ACLNames.Write is "a/b", no name of an access control list: give that of a file in /acl`},
		{open("a//b", client.OpenOptions{}), client.ErrInvalid, `client: open "/ls/local/f/a//b": invalid: bad name: has an empty component: "a//b"`},
		{open(strings.Repeat("a/", 31)+"b", client.OpenOptions{}), client.ErrInvalid, `client: open "/ls/local/f/` + strings.Repeat("a/", 31) + `b": invalid: bad name: has more than 32 components: "` + strings.Repeat("a/", 31) + `b"`},
		{open("c", client.OpenOptions{}), client.ErrNotFound, `client: open "/ls/local/f/c": not found`},
		{set(big), client.ErrTooLarge, `client: set-contents "/ls/local/f": too large: contents of 262145 bytes, and at most 262144 are allowed`},
		{acl(client.ACLNames{Read: "a"}), client.ErrInvalid, `client: set-acl "/ls/local/f": invalid: ACLNames.Write is "", no name of an access control list: give that of a file in /acl`},
		{c.Put(ctx, "", "v"), client.ErrInvalid, `client: put: invalid: the key is empty`},
		{get(""), client.ErrInvalid, `client: get: invalid: the key is empty`},
		{c.Delete(ctx, ""), client.ErrInvalid, `client: delete: invalid: the key is empty`},
		{c.Put(ctx, "k", big), client.ErrTooLarge, `client: put "k": too large: a value of 262145 bytes, and at most 262144 are allowed`},
		{c.CompareAndSet(ctx, "k", client.Value(big), "v"), client.ErrTooLarge, `client: compare-and-set "k": too large: a value of 262145 bytes, and at most 262144 are allowed`},
		{c.Put(ctx, long, "v"), client.ErrTooLarge, `client: put "` + strings.Repeat("k", 64) + `"... of 100000 bytes: too large: a key of 100000 bytes, and at most 1024 are allowed`},
		{list(long), client.ErrTooLarge, `client: list "` + strings.Repeat("k", 64) + `"... of 100000 bytes: too large: a prefix of 100000 bytes, and at most 1024 are allowed`},
	} {
		require.ErrorIs(t, x.err, x.is)
		require.EqualError(t, x.err, x.text)
	}
	_, err = f.Events().Next(ctx)
	require.ErrorIs(t, err, client.ErrInvalid)
	require.EqualError(t, err, `client: event "/ls/local/f": invalid: the handle asked for no events: set OpenOptions.Events`)
}
