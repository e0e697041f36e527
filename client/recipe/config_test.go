package recipe_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
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

const configFile = "/ls/local/workers"

// config is what a program needs of a recipe.Config.
type config interface {
	Value() int
	Err() error
	Close()
}

// configured is a program that follows a number in a file, or writes it.
type configured struct {
	watch func(ctx context.Context, c *client.Client) (config, error)
}

func watchConfig(ctx context.Context, c *client.Client) (config, error) {
	w, err := recipe.WatchConfig(ctx, c, configFile, strconv.Atoi)
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (f configured) trial() trial {
	return trial{name: "config", property: "R3", turn: f.turn, change: "write"}
}

func (f configured) turn(ctx context.Context, p scenario.Program) {
	var file *client.Handle
	if !within(ctx, p, 10*time.Second, "open", func(ctx context.Context) (err error) {
		file, err = p.Client().Open(ctx, configFile, client.OpenOptions{
			Rights: client.Read | client.Write, Create: client.CreateMay, Contents: "1",
		})
		return err
	}) {
		return
	}
	defer func() { within(ctx, p, 5*time.Second, "close", file.Close) }()
	if !p.Healed() && p.Draw().Chance(1, 4) {
		f.write(ctx, p, file)
	} else {
		f.follow(ctx, p, file)
	}
}

// write changes the number now and then. One time in four it writes what is no number.
func (f configured) write(ctx context.Context, p scenario.Program, file *client.Handle) {
	for range 3 {
		text := strconv.Itoa(1 + p.Draw().Int(1000))
		if p.Draw().Chance(1, 4) {
			text = "many"
		}
		report(p, "about to write")
		if !within(ctx, p, 5*time.Second, "write", func(ctx context.Context) error {
			_, err := file.SetContents(ctx, text, 0)
			return err
		}) || p.Sleep(ctx, p.Draw().Duration(0, 40*time.Second)) != nil || p.Healed() {
			return
		}
	}
}

// follow watches the number, and reads the file itself to see whether it is told.
func (f configured) follow(ctx context.Context, p scenario.Program, file *client.Handle) {
	var w config
	if !within(ctx, p, 10*time.Second, "watch", func(ctx context.Context) (err error) {
		w, err = f.watch(ctx, p.Client())
		if unparsed := new(recipe.ParseError); errors.As(err, &unparsed) {
			w, err = nil, nil // there is no value yet
		}
		return err
	}) || w == nil {
		return
	}
	defer w.Close()
	var s steady
	for end := p.Now().Add(patience(p)); p.Now().Before(end); {
		var text string
		if !within(ctx, p, 2*time.Second, "read", func(ctx context.Context) (err error) {
			text, _, err = file.Contents(ctx)
			return err
		}) {
			return
		}
		f.check(p, w, text, s.read(p, text))
		if p.Sleep(ctx, time.Second) != nil {
			return
		}
	}
}

// check is property R3: the value is one that was written, and that of the file once the watcher must
// have heard of it, or there is an error to say so.
func (f configured) check(p scenario.Program, w config, text string, told bool) {
	n, err := strconv.Atoi(text)
	switch {
	case w.Value() == 0:
		p.World().Break("R3", "program %d has no value any more", p.ID())
	case !told:
	case err == nil && w.Err() == nil && w.Value() != n:
		p.World().Break("R3", "program %d has %d, and the file has said %d for longer than any lease", p.ID(), w.Value(), n)
	case err != nil && w.Err() == nil:
		p.World().Break("R3", "program %d has %d and no error, and the file has said %q for longer than any lease", p.ID(), w.Value(), text)
	case err != nil:
		p.World().Count("kept")
	default:
		p.World().Count("told")
	}
}

func TestConfig(t *testing.T) {
	reaches(t, 2*enough, simtest.Run(t, configured{watchConfig}.trial().options(2*enough, 4)), "told", "kept", "hushed")
}

func TestConfigIsDeterministic(t *testing.T) {
	simtest.Verify(t, configured{watchConfig}.trial().options(1, 2))
}

// deaf is a watcher with the trap: it reads again when it hears that the contents were written, and at
// no other event.
type deaf struct {
	value  int
	err    error
	cancel context.CancelFunc
}

func (w *deaf) Value() int { return w.value }
func (w *deaf) Err() error { return w.err }
func (w *deaf) Close()     { w.cancel() }

func watchDeaf(ctx context.Context, c *client.Client) (config, error) {
	h, err := c.Open(ctx, configFile, client.OpenOptions{Events: client.WantContents})
	if err != nil {
		return nil, err
	}
	thread, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &deaf{cancel: cancel}
	read := func(ctx context.Context) error {
		text, _, err := h.Contents(ctx)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(text)
		if w.err = err; err == nil {
			w.value = n
		}
		return nil
	}
	if err := read(ctx); err != nil {
		return nil, err
	}
	if w.err != nil {
		return nil, &recipe.ParseError{File: configFile, Err: w.err}
	}
	c.Runtime().Go("deaf", func() {
		for e, err := range h.Events().All(thread) {
			if err == nil && e.Kind == client.EventContents {
				err = read(thread)
			}
			if err != nil {
				w.err = err
			}
		}
		_ = h.Close(thread)
	})
	return w, nil
}

func TestAWatcherOfOneKindOfEventIsCaught(t *testing.T) {
	o := from(26, configured{watchDeaf}.trial().options(100, 4))
	o.Faults = []string{"hush"}
	simtest.Expect(t, o, "R3")
}

// hasty takes the zero value of what does not parse.
type hasty struct{ config }

func (h hasty) Value() int {
	if h.Err() != nil {
		return 0
	}
	return h.config.Value()
}

func TestAValueThatAParseErrorReplacesIsCaught(t *testing.T) {
	simtest.Expect(t, configured{func(ctx context.Context, c *client.Client) (config, error) {
		w, err := watchConfig(ctx, c)
		if err != nil {
			return nil, err
		}
		return hasty{w}, nil
	}}.trial().options(20, 4), "R3")
}

func TestWhatAConfigReports(t *testing.T) {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := recipe.WatchConfig(ctx, c, configFile, strconv.Atoi)
	require.ErrorIs(t, err, client.ErrNotFound)

	f, err := c.Open(ctx, configFile, client.OpenOptions{Rights: client.Write, Create: client.CreateMay, Contents: "few"})
	require.NoError(t, err)
	unparsed := new(recipe.ParseError)
	_, err = recipe.WatchConfig(ctx, c, configFile, strconv.Atoi)
	require.ErrorAs(t, err, &unparsed)
	require.ErrorIs(t, err, strconv.ErrSyntax)
	require.ErrorContains(t, err, configFile)

	write := func(text string) {
		_, err := f.SetContents(ctx, text, 0)
		require.NoError(t, err)
	}
	write("1")
	w, err := recipe.WatchConfig(ctx, c, configFile, strconv.Atoi)
	require.NoError(t, err)
	require.Equal(t, 1, w.Value())
	for i, text := range []string{"2", "many", "3"} {
		write(text)
		n, err := w.Next(ctx)
		require.Equal(t, []int{2, 2, 3}[i], n, "the last good value stays")
		require.Equal(t, text == "many", errors.As(err, &unparsed), fmt.Sprint(err))
		require.Equal(t, err, w.Err())
	}
	short, stop := c.Runtime().WithTimeout(ctx, time.Millisecond)
	defer stop()
	_, err = w.Next(short)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	require.NoError(t, f.Delete(ctx))
	n, err := w.Next(ctx)
	require.Equal(t, 3, n)
	require.ErrorIs(t, err, client.ErrGone)
	_, err = w.Next(ctx)
	require.ErrorIs(t, err, client.ErrGone)
	require.Equal(t, 3, w.Value())
	w.Close()
}

// A parse function takes its time, and asks its Config for the value so far. Other readers have that value meanwhile.
func TestAConfigIsReadWhileItsFileIsParsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chubbytest.Start(t, chubbytest.Options{Replicas: 1}).Client(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		f, err := c.Open(ctx, configFile, client.OpenOptions{Rights: client.Write, Create: client.CreateMay, Contents: "1"})
		require.NoError(t, err)
		var w *recipe.Config[int]
		before, parsed := make(chan int, 1), make(chan struct{})
		w, err = recipe.WatchConfig(ctx, c, configFile, func(text string) (int, error) {
			if text == "2" {
				before <- w.Value()
				<-parsed
			}
			return strconv.Atoi(text)
		})
		require.NoError(t, err)
		_, err = f.SetContents(ctx, "2", 0)
		require.NoError(t, err)
		require.Equal(t, 1, <-before)
		require.Equal(t, 1, w.Value())
		require.NoError(t, w.Err())
		close(parsed)
		n, err := w.Next(ctx)
		require.NoError(t, err)
		require.Equal(t, 2, n)
	})
}

// The end of a Config is not taken for the end of the context of a Next.
func TestANextUnderWayTellsThatItsConfigWasClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chubbytest.Start(t, chubbytest.Options{Replicas: 1}).Client(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := c.Open(ctx, configFile, client.OpenOptions{Create: client.CreateMay, Contents: "1"})
		require.NoError(t, err)
		w, err := recipe.WatchConfig(ctx, c, configFile, strconv.Atoi)
		require.NoError(t, err)
		ended := make(chan error, 1)
		go func() {
			_, err := w.Next(ctx)
			ended <- err
		}()
		synctest.Wait()
		w.Close()
		err = <-ended
		require.ErrorIs(t, err, client.ErrClosed)
		require.NotErrorIs(t, err, context.Canceled)
		require.Equal(t, err, w.Err())
		require.Equal(t, 1, w.Value())
	})
}
