package recipe_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

const (
	namesDir  = "/ls/local/names"
	namesFile = namesDir + "/names-0" // all names are in one file
	shared    = "shared"              // the name that all programs set
)

// names is what a program needs of a recipe.Names.
type names interface {
	Set(ctx context.Context, name, address string) error
	Lookup(ctx context.Context, name string) (string, error)
	Close()
}

// named is a program that has a name of its own, and looks up the one that all share.
type named struct{ dial func(c *client.Client) names }

func dialNames(c *client.Client) names { return recipe.NewNames(c, namesDir, 1) }

func (n named) trial() trial {
	return trial{name: "names", property: "R7", turn: n.turn, change: "share"}
}

func (n named) turn(ctx context.Context, p scenario.Program) {
	service := n.dial(p.Client())
	defer service.Close()
	own, address := fmt.Sprintf("p%d", p.ID()), ""
	var file *client.Handle
	defer func() {
		if file != nil {
			within(ctx, p, 5*time.Second, "close", file.Close)
		}
	}()
	var s steady
	for end := p.Now().Add(patience(p)); p.Now().Before(end); {
		if address == "" || p.Draw().Chance(1, 4) {
			next := fmt.Sprint("at ", p.Now().UnixNano())
			address = ""
			if within(ctx, p, 5*time.Second, "set", func(ctx context.Context) error { return service.Set(ctx, own, next) }) {
				address = next
			}
		}
		if p.Draw().Chance(1, 100) {
			report(p, "about to share")
			within(ctx, p, 5*time.Second, "share", func(ctx context.Context) error { return service.Set(ctx, shared, own) })
		}
		if !n.check(ctx, p, service, &file, &s, own, address) || p.Sleep(ctx, p.Draw().Duration(0, time.Second)) != nil {
			return
		}
	}
}

// check is property R7: a name has the address that its only program has set, and what a program looks
// up is what the file says, once it must have heard.
func (n named) check(ctx context.Context, p scenario.Program, service names, file **client.Handle, s *steady, own, address string) bool {
	var text, found string
	if !within(ctx, p, 5*time.Second, "read", func(ctx context.Context) (err error) {
		if *file == nil {
			*file, err = p.Client().Open(ctx, namesFile, client.OpenOptions{})
		}
		if err == nil {
			text, _, err = (*file).Contents(ctx)
		}
		return err
	}) {
		return false
	}
	if address != "" {
		if !strings.Contains("\n"+text, "\n"+own+"\t"+address+"\n") {
			p.World().Break("R7", "program %d has set its address to %q, and the file does not have that", p.ID(), address)
		}
		p.World().Count("set")
	}
	if !within(ctx, p, 5*time.Second, "look up", func(ctx context.Context) (err error) {
		found, err = service.Lookup(ctx, shared)
		if errors.Is(err, client.ErrNotFound) {
			err = nil
		}
		return err
	}) {
		return false
	}
	_, says, _ := strings.Cut("\n"+text, "\n"+shared+"\t")
	says, _, _ = strings.Cut(says, "\n")
	if s.read(p, says) {
		if says != found {
			p.World().Break("R7", "program %d finds %q, and the file has said %q for longer than any lease", p.ID(), found, says)
		}
		p.World().Count("told")
	}
	return true
}

func TestNames(t *testing.T) {
	reaches(t, enough, simtest.Run(t, named{dialNames}.trial().options(enough, 3)), "set", "told")
}

func TestNamesAreDeterministic(t *testing.T) {
	simtest.Verify(t, named{dialNames}.trial().options(1, 2))
}

// unconditional is a name service with the trap: it writes the file whatever has happened since it was
// read.
type unconditional struct {
	names
	c *client.Client
}

func (u unconditional) Set(ctx context.Context, name, address string) error {
	f, err := u.c.Open(ctx, namesFile, client.OpenOptions{Rights: client.Read | client.Write})
	if errors.Is(err, client.ErrNotFound) {
		return u.names.Set(ctx, name, address)
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close(ctx) }()
	text, _, err := f.Contents(ctx)
	if err != nil {
		return err
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, name+"\t") {
			b.WriteString(line)
		}
	}
	fmt.Fprintf(&b, "%s\t%s\n", name, address)
	_, err = f.SetContents(ctx, b.String(), 0)
	return err
}

func TestASetWithoutAConditionIsCaught(t *testing.T) {
	simtest.Expect(t, named{func(c *client.Client) names {
		return unconditional{dialNames(c), c}
	}}.trial().options(20, 3), "R7")
}

func TestManyNamesAreFewFiles(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n := recipe.NewNames(c, namesDir, 3)
	defer n.Close()
	_, err := n.Lookup(ctx, "n0")
	require.ErrorIs(t, err, client.ErrNotFound)
	for i := range 30 {
		require.NoError(t, n.Set(ctx, fmt.Sprint("n", i), fmt.Sprint("host", i)))
	}
	other := recipe.NewNames(c, namesDir, 3)
	defer other.Close()
	for i := range 30 {
		address, err := other.Lookup(ctx, fmt.Sprint("n", i))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("host", i), address)
	}
	d, err := c.Open(ctx, namesDir, client.OpenOptions{})
	require.NoError(t, err)
	files, err := d.ReadDir(ctx)
	require.NoError(t, err)
	require.Len(t, files, 3)

	var seen []string
	for address, err := range other.Watch(ctx, "n7") {
		require.NoError(t, err)
		seen = append(seen, address)
		switch len(seen) {
		case 1:
			require.NoError(t, n.Set(ctx, "n7", "moved"))
		case 2:
			require.NoError(t, n.Set(ctx, "n7", ""))
		}
		if len(seen) == 3 {
			break
		}
	}
	require.Equal(t, []string{"host7", "moved", ""}, seen)
	require.ErrorIs(t, n.Set(ctx, "a\tb", "x"), client.ErrInvalid)
	require.ErrorIs(t, n.Set(ctx, "", "x"), client.ErrInvalid)
}

// A program that may only read looks names up and watches them. It creates nothing, may come before the first Set, and
// learns of the directory and of the file when they are made.
func TestNamesAreReadWithoutTheRightToWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cell := chubbytest.Start(t, chubbytest.Options{Replicas: 1})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		owner, guest := cell.ClientAs(t, "ann"), cell.ClientAs(t, "bob")
		file := func(name, contents string) {
			h, err := owner.Open(ctx, name, client.OpenOptions{Rights: client.Write, Create: client.CreateMay, Contents: contents})
			require.NoError(t, err)
			require.NoError(t, h.Close(ctx))
		}
		file("/ls/local/acl/owners", "ann\n")
		root, err := owner.Open(ctx, "/ls/local", client.OpenOptions{Rights: client.ChangeACL})
		require.NoError(t, err)
		_, err = root.SetACL(ctx, client.ACLNames{Read: "everybody", Write: "owners", Change: "owners"}, 0)
		require.NoError(t, err)

		read := recipe.NewNames(guest, namesDir, 1)
		defer read.Close()
		require.ErrorIs(t, read.Set(ctx, "a", "x"), client.ErrPermission)
		_, err = read.Lookup(ctx, "a")
		require.ErrorIs(t, err, client.ErrNotFound)
		_, err = owner.Open(ctx, namesDir, client.OpenOptions{})
		require.ErrorIs(t, err, client.ErrNotFound, "a Lookup creates nothing")

		write := recipe.NewNames(owner, namesDir, 1)
		defer write.Close()
		var seen []string
		for address, err := range read.Watch(ctx, "a") {
			require.NoError(t, err)
			seen = append(seen, address)
			if address == "there" {
				break
			}
			require.NoError(t, write.Set(ctx, "a", map[int]string{1: "here", 2: "there"}[len(seen)]))
		}
		require.Equal(t, []string{"", "here", "there"}, seen)
		synctest.Wait()
		address, err := read.Lookup(ctx, "a")
		require.NoError(t, err)
		require.Equal(t, "there", address, "the Lookup from before the first Set has followed, too")
	})
}
