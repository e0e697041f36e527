package recipe_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/chubbytest"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

const registryDir = "/ls/local/services"

// watchMembers is recipe.Watch, or a watcher with a trap.
type watchMembers func(ctx context.Context, c *client.Client, dir string) iter.Seq2[[]recipe.Member, error]

// registry is a program that is a member of a directory now and then, or watches it.
type registry struct{ watch watchMembers }

func (g registry) trial() trial {
	return trial{name: "registry", property: "R4", turn: g.turn, checker: noGhosts, change: "join"}
}

func (g registry) turn(ctx context.Context, p scenario.Program) {
	var dir *client.Handle
	if !within(ctx, p, 10*time.Second, "open", func(ctx context.Context) (err error) {
		dir, err = p.Client().Open(ctx, registryDir, client.OpenOptions{Create: client.CreateMay, Directory: true})
		return err
	}) {
		return
	}
	defer func() { within(ctx, p, 5*time.Second, "close", dir.Close) }()
	switch {
	case p.Healed() || p.Draw().Chance(2, 3):
		g.follow(ctx, p, dir)
	default:
		g.join(ctx, p, dir)
	}
}

// join is a member for a while. Half of the members go as those do whose session has expired: their
// file is not deleted, and goes when no client has it open any more.
func (g registry) join(ctx context.Context, p scenario.Program, dir *client.Handle) {
	name, contents := fmt.Sprintf("s%d", p.Draw().Int(4)), strings.Repeat("x", 1+p.Draw().Int(20))
	leave := func(context.Context) error { return nil }
	var instance uint64
	report(p, "about to join")
	if !within(ctx, p, 20*time.Second, "join", func(ctx context.Context) error {
		if p.Draw().Chance(1, 2) {
			r, err := recipe.Register(ctx, p.Client(), registryDir, name, contents)
			if err == nil {
				leave = r.Leave
			}
			return err
		}
		h, err := dir.Open(ctx, name, client.OpenOptions{Rights: client.Write, Create: client.CreateMust, Ephemeral: true, Contents: contents})
		if err == nil {
			leave, instance = h.Close, uint64(h.StatAtOpen().Instance)
		}
		return err
	}) {
		return
	}
	_ = p.Sleep(ctx, p.Draw().Duration(0, 40*time.Second))
	if within(ctx, p, 10*time.Second, "leave", leave) && instance != 0 {
		report(p, "left %s#%d", name, instance)
	}
}

// follow watches the directory, and reads it to see whether it is told.
func (g registry) follow(ctx context.Context, p scenario.Program, dir *client.Handle) {
	thread, cancel := context.WithCancel(ctx)
	defer cancel()
	var view []recipe.Member
	var lost error
	begun := false
	p.Client().Runtime().Go("watch", func() {
		for set, err := range g.watch(thread, p.Client(), registryDir) {
			if lost = err; err == nil {
				view, begun = set, true
			}
		}
	})
	var s steady
	for end := p.Now().Add(patience(p)); p.Now().Before(end) && lost == nil; {
		var all []client.Child
		if !within(ctx, p, 2*time.Second, "read", func(ctx context.Context) (err error) {
			all, err = dir.ReadDir(ctx)
			return err
		}) {
			return
		}
		for _, c := range all {
			report(p, "listed %s#%d", c.Name, c.Stat.Instance)
		}
		if want := describe(all); s.read(p, want) && lost == nil {
			p.World().Count("told")
			if have := describeMembers(view); !begun || have != want {
				p.World().Break("R4", "program %d has the members %q, and the directory has had %q for longer than any lease", p.ID(), have, want)
			}
		}
		if p.Sleep(ctx, time.Second) != nil {
			return
		}
	}
	if lost != nil {
		p.Done("watch", true, lost)
	}
}

// describe writes names, and how long the contents are.
func describe(all []client.Child) string {
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, "%s:%d ", c.Name, c.Stat.Length)
	}
	return b.String()
}

func describeMembers(all []recipe.Member) string {
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "%s:%d ", m.Name, len(m.Contents))
	}
	return b.String()
}

// ghosts is the part of R4 that takes more than one program to see: a member that has gone is not
// listed for ever.
type ghosts struct {
	left   map[string]time.Duration
	served time.Duration // since the present master serves
}

func noGhosts() scenario.Checker { return &ghosts{left: map[string]time.Duration{}} }

// mostSweep is more than what the file of a member that has gone stays under one master: sessions that
// are lost expire, and the master has waited its minute for clients that may have files open (CHU §2.9).
const mostSweep = 2 * time.Minute

func (g *ghosts) On(now time.Duration, e event.Event) error {
	switch e := e.(type) {
	case event.Serves:
		g.served = now
	case event.CallEnded:
		what, name, _ := strings.Cut(e.Call, " ")
		if e.Err == nil && what == "left" {
			g.left[name] = now
		}
		at, gone := g.left[name]
		if e.Err == nil && what == "listed" && gone && now-max(at, g.served) > mostSweep {
			return fmt.Errorf("member %s left at %v, and is listed at %v by a master that has served since %v", name, at, now, g.served)
		}
	}
	return nil
}

func (g *ghosts) End() error { return nil }

func TestRegistry(t *testing.T) {
	reaches(t, 2*enough, simtest.Run(t, registry{recipe.Watch}.trial().options(2*enough, 4)), "told", "hushed")
}

func TestRegistryIsDeterministic(t *testing.T) {
	simtest.Verify(t, registry{recipe.Watch}.trial().options(1, 2))
}

// careless is a watcher with the traps: it reads again only at events that are about children, or it
// keeps the files open whose contents it reads.
type careless struct{ deaf, keeps bool }

func (w careless) watch(ctx context.Context, c *client.Client, dir string) iter.Seq2[[]recipe.Member, error] {
	return func(yield func([]recipe.Member, error) bool) {
		open := map[string]*client.Handle{}
		h, err := c.Open(ctx, dir, client.OpenOptions{Events: client.WantChildren})
		for err == nil {
			var set []recipe.Member
			if set, err = w.members(ctx, h, open); err != nil || !yield(set, nil) {
				break
			}
			for again := false; err == nil && !again; {
				var e client.Event
				e, err = h.Events().Next(ctx)
				again = e.Kind == client.EventChildren || !w.deaf
			}
		}
		yield(nil, err)
	}
}

func (w careless) members(ctx context.Context, dir *client.Handle, open map[string]*client.Handle) ([]recipe.Member, error) {
	all, err := dir.ReadDir(ctx)
	var set []recipe.Member
	for _, child := range all {
		id := fmt.Sprint(child.Name, child.Stat.Instance)
		f := open[id]
		if f == nil {
			f, err = dir.Open(ctx, child.Name, client.OpenOptions{})
		}
		var text string
		if err == nil {
			text, _, err = f.Contents(ctx)
			set = append(set, recipe.Member{Name: child.Name, Contents: text})
			if open[id] = f; !w.keeps {
				delete(open, id)
				_ = f.Close(ctx)
			}
		}
		switch {
		case errors.Is(err, client.ErrNotFound) || errors.Is(err, client.ErrGone):
			err = nil
		case err != nil:
			return nil, err
		}
	}
	return set, err
}

func TestAWatcherOfChildrenAloneIsCaught(t *testing.T) {
	o := from(66, registry{careless{deaf: true}.watch}.trial().options(200, 4))
	o.Faults = []string{"hush"}
	simtest.Expect(t, o, "R4")
}

func TestAWatcherThatKeepsFilesOpenIsCaught(t *testing.T) {
	o := registry{careless{keeps: true}.watch}.trial().options(20, 4)
	o.Faults, o.Duration = []string{}, 5*time.Minute
	simtest.Expect(t, o, "R4")
}

func TestTheLifeOfARegistration(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(t.Context(), time.Minute)
	defer cancel()

	first, err := recipe.Register(ctx, c, registryDir, "a", "here")
	require.NoError(t, err)
	other, stop := cell.dial()
	short, cancelShort := other.Runtime().WithTimeout(ctx, 50*time.Millisecond)
	defer cancelShort()
	_, err = recipe.Register(short, other, registryDir, "a", "there")
	require.ErrorIs(t, err, context.DeadlineExceeded, "the name is taken")

	steps := []func(){
		func() { require.NoError(t, first.Update(ctx, "moved")) },
		func() {
			_, err := recipe.Register(ctx, other, registryDir, "b", "")
			require.NoError(t, err)
		},
		func() { require.NoError(t, first.Leave(ctx)) },
		func() { stop() }, // its session ends
	}
	var seen [][]recipe.Member
	for set, err := range recipe.Watch(ctx, c, registryDir) {
		require.NoError(t, err)
		seen = append(seen, set)
		if len(seen) > len(steps) {
			break
		}
		steps[len(seen)-1]()
	}
	require.Equal(t, [][]recipe.Member{{{"a", "here"}}, {{"a", "moved"}}, {{"a", "moved"}, {"b", ""}}, {{"b", ""}}, nil}, seen)
	require.ErrorIs(t, first.Wait(ctx), client.ErrClosed)

	second, err := recipe.Register(ctx, c, registryDir, "c", "x")
	require.NoError(t, err)
	f, err := c.Open(ctx, registryDir+"/c", client.OpenOptions{Rights: client.Write})
	require.NoError(t, err)
	require.NoError(t, f.Delete(ctx))
	require.ErrorIs(t, second.Wait(ctx), client.ErrGone)
}

// A name that is no name of a file in the directory is refused at once.
func TestARegistrationHasAName(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for name, why := range map[string]string{
		"":    `recipe: member "" of /ls/local/s: invalid: a member's name is that of a file in the directory`,
		"a/b": `recipe: member "a/b" of /ls/local/s: invalid: a member's name is that of a file in the directory`,
		".":   `client: open "/ls/local/s/.": invalid: bad name: has the component .: "."`,
	} {
		_, err := recipe.Register(ctx, c, "/ls/local/s", name, "x")
		require.ErrorIs(t, err, client.ErrInvalid)
		require.EqualError(t, err, why)
	}
}

// A watcher may come before what it watches: there is nothing at first, and it hears of the file when that is made, be
// the directories above it there or not.
func TestWatchersMayComeFirst(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	other, stop := cell.dial()
	defer stop()
	ctx, cancel := c.Runtime().WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const dir = "/ls/local/of/teams"
	mkdir := func(path string) {
		h, err := other.Open(ctx, path, client.OpenOptions{Rights: client.Write, Create: client.CreateMust, Directory: true})
		require.NoError(t, err)
		require.NoError(t, h.Close(ctx))
	}

	var leaders []string
	for l, err := range recipe.Observe(ctx, c, dir+"/leader") {
		require.NoError(t, err)
		leaders = append(leaders, l.Address)
		if l.Address != "" {
			break
		}
		mkdir("/ls/local/of")
		mkdir(dir)
		term, err := recipe.Campaign(ctx, other, recipe.Candidate{File: dir + "/leader", Address: "here"})
		require.NoError(t, err)
		defer func() { _ = term.Resign(ctx) }()
	}
	require.Equal(t, []string{"", "here"}, leaders)

	var sizes []int
	for set, err := range recipe.Watch(ctx, c, dir+"/members") {
		require.NoError(t, err)
		sizes = append(sizes, len(set))
		if len(set) > 0 {
			break
		}
		if len(sizes) == 1 {
			_, err = recipe.Register(ctx, other, dir+"/members", "a", "there")
			require.NoError(t, err)
		}
	}
	require.Equal(t, 0, sizes[0])
	require.Equal(t, 1, sizes[len(sizes)-1])
}

// A Wait that is under way tells the program's own Leave from a deletion by another, whichever the Client hears of first:
// the end of the file, or that of its handle.
func TestAWaitTellsALeaveFromADeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chubbytest.Start(t, chubbytest.Options{Replicas: 1}).Client(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for n := range 20 {
			r, err := recipe.Register(ctx, c, registryDir, fmt.Sprint("m", n), "here")
			require.NoError(t, err)
			waited := make(chan error)
			go func() { waited <- r.Wait(ctx) }()
			synctest.Wait()
			if n == 0 { // another deletes it
				h, err := c.Open(ctx, registryDir+"/m0", client.OpenOptions{Rights: client.Write})
				require.NoError(t, err)
				require.NoError(t, h.Delete(ctx))
				require.ErrorIs(t, <-waited, client.ErrGone)
				continue
			}
			require.NoError(t, r.Leave(ctx))
			err = <-waited
			require.ErrorIs(t, err, client.ErrClosed)
			require.NotErrorIs(t, err, client.ErrGone)
			require.ErrorIs(t, r.Wait(ctx), client.ErrClosed)
		}
	})
}
