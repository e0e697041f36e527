package recipe_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/recipe"
)

// Two programs stand for election. The second leads when the first has resigned.
func ExampleCampaign() {
	cell := startCell()
	defer cell.stop()
	first, hangUp := cell.dial()
	defer hangUp()
	second, hangUpSecond := cell.dial()
	defer hangUpSecond()
	ctx, cancel := first.Runtime().WithTimeout(context.Background(), time.Minute)
	defer cancel()

	const file = "/ls/local/primary"
	term, err := recipe.Campaign(ctx, first, recipe.Candidate{File: file, Address: "ann:4000"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ann leads:", term.IsLeader())

	won := second.Runtime().NewSignal()
	second.Runtime().Go("bob", func() {
		defer won.Fire()
		next, err := recipe.Campaign(ctx, second, recipe.Candidate{File: file, Address: "bob:4000"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("bob leads:", next.IsLeader(), "and ann:", term.IsLeader())
	})
	if err := term.Resign(ctx); err != nil {
		log.Fatal(err)
	}
	if _, err := second.Runtime().Wait(ctx, won); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ann leads: true
	// bob leads: true and ann: false
}

// A program that follows the leader of an election by events.
func ExampleObserve() {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), time.Minute)
	defer cancel()

	const file = "/ls/local/primary"
	term, err := recipe.Campaign(ctx, c, recipe.Candidate{File: file, Address: "ann:4000"})
	if err != nil {
		log.Fatal(err)
	}
	for leader, err := range recipe.Observe(ctx, c, file) {
		if err != nil {
			log.Fatal(err)
		}
		if leader.Address == "" {
			fmt.Println("no leader")
			break
		}
		fmt.Println("leader:", leader.Address)
		if err := term.Resign(ctx); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// leader: ann:4000
	// no leader
}

// A leader sends its requests by a Writer, and the server that it writes to has a Fence. Requests of
// the former leader are refused, however late they arrive.
func ExampleFence() {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), time.Minute)
	defer cancel()

	var server struct {
		sync.Mutex
		fence *recipe.Fence
		text  string
	}
	server.fence = recipe.NewFence("/primary")
	write := func(_ context.Context, sequencer, text string) (string, error) {
		server.Lock()
		defer server.Unlock()
		if err := server.fence.Write(sequencer); err != nil {
			return "", err
		}
		was := server.text
		server.text = text
		return was, nil
	}

	var late string // the sequencer in a request that the network has kept
	for _, who := range []string{"ann", "bob"} {
		term, err := recipe.Campaign(ctx, c, recipe.Candidate{File: "/ls/local/primary", Address: who})
		if err != nil {
			log.Fatal(err)
		}
		was, err := recipe.NewWriter(term, write).Do(ctx, who+" was here")
		fmt.Printf("%s replaces %q: %v\n", who, was, err)
		if late == "" {
			late = term.Sequencer()
		}
		if err := term.Resign(ctx); err != nil {
			log.Fatal(err)
		}
	}
	_, err := write(ctx, late, "ann is back")
	fmt.Println("late:", errors.Is(err, recipe.ErrFenced), server.text)
	// Output:
	// ann replaces "": <nil>
	// bob replaces "ann was here": <nil>
	// late: true bob was here
}

// A program that follows a number in a file. What does not parse leaves the last good value.
func ExampleWatchConfig() {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), time.Minute)
	defer cancel()

	const file = "/ls/local/workers"
	f, err := c.Open(ctx, file, client.OpenOptions{Rights: client.Write, Create: client.CreateMay, Contents: "4"})
	if err != nil {
		log.Fatal(err)
	}
	workers, err := recipe.WatchConfig(ctx, c, file, strconv.Atoi)
	if err != nil {
		log.Fatal(err)
	}
	defer workers.Close()
	fmt.Println(workers.Value())
	for _, text := range []string{"8", "a few"} { // any client may write these
		if _, err := f.SetContents(ctx, text, 0); err != nil {
			log.Fatal(err)
		}
		fmt.Println(workers.Next(ctx))
	}
	// Output:
	// 4
	// 8 <nil>
	// 8 recipe: contents of /ls/local/workers: strconv.Atoi: parsing "a few": invalid syntax
}

// Two services register, and a program follows who is there.
func ExampleWatch() {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), time.Minute)
	defer cancel()

	const dir = "/ls/local/services"
	ann, err := recipe.Register(ctx, c, dir, "ann", "host1:4000")
	if err != nil {
		log.Fatal(err)
	}
	sets := 0
	for members, err := range recipe.Watch(ctx, c, dir) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(members)
		switch sets++; sets {
		case 1:
			_, err = recipe.Register(ctx, c, dir, "bob", "host2:4000")
		case 2:
			err = ann.Leave(ctx)
		}
		if err != nil {
			log.Fatal(err)
		}
		if sets == 3 {
			break
		}
	}
	// Output:
	// [{ann host1:4000}]
	// [{ann host1:4000} {bob host2:4000}]
	// [{bob host2:4000}]
}

// Two permits, and a third program that waits for one of them.
func ExampleSemaphore() {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), time.Minute)
	defer cancel()

	s := recipe.NewSemaphore(c, "/ls/local/permits", 2)
	var held []*recipe.Permit
	for range 2 {
		p, err := s.Acquire(ctx)
		if err != nil {
			log.Fatal(err)
		}
		held = append(held, p)
	}
	fmt.Println(held[0].Held(), held[1].Held())
	c.Runtime().AfterFunc(10*time.Millisecond, func() {
		c.Runtime().Go("release", func() { _ = held[0].Release(ctx) })
	})
	third, err := s.Acquire(ctx)
	fmt.Println(third.Held(), err)
	// Output:
	// true true
	// true <nil>
}

// Two members begin a round together, and end it together.
func ExampleBarrier() {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	rt := c.Runtime()
	ctx, cancel := rt.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	var worked atomic.Int32
	member := func(name string) {
		b := recipe.NewBarrier(c, "/ls/local/round-1", name, 2)
		if err := b.Enter(ctx); err != nil {
			log.Fatal(err)
		}
		worked.Add(1)
		if err := b.Leave(ctx); err != nil {
			log.Fatal(err)
		}
		fmt.Println("all have worked:", worked.Load() == 2)
	}
	other := rt.NewSignal()
	rt.Go("bob", func() { member("bob"); other.Fire() })
	member("ann")
	_, _ = rt.Wait(ctx, other)
	// Output:
	// all have worked: true
	// all have worked: true
}

// A program sets its name and looks up two, in a service that spreads its names over ten files.
func ExampleNames() {
	cell := startCell()
	defer cell.stop()
	c, hangUp := cell.dial()
	defer hangUp()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), time.Minute)
	defer cancel()

	names := recipe.NewNames(c, "/ls/local/names", 10)
	defer names.Close()
	if err := names.Set(ctx, "ann", "host1:4000"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(names.Lookup(ctx, "ann"))
	_, err := names.Lookup(ctx, "bob")
	fmt.Println("bob missing:", errors.Is(err, client.ErrNotFound))
	// Output:
	// host1:4000 <nil>
	// bob missing: true
}
