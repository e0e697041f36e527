package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/chubbycell/chubby/client"
)

// connect makes a Client of a cell that lives in this process. In a program,
// the function given to NewRuntime puts messages on the network, and whatever
// reads the network calls Deliver.
func connect() (*client.Client, func()) {
	cell := newCell()
	var rt *client.Goroutines
	rt = client.NewRuntime(func(to uint32, msg []byte) {
		rt.Go("network", func() { cell.handle(to, msg, func(answer []byte) { rt.Deliver(to, answer) }) })
	})
	return client.New(rt, client.Config{Replicas: []uint32{1, 2, 3}, Draw: client.Entropy}), rt.Close
}

func Example() {
	c, disconnect := connect()
	defer disconnect()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer c.Close(ctx)

	if err := c.Put(ctx, "config/color", "green"); err != nil {
		log.Fatal(err)
	}
	color, err := c.Get(ctx, "config/color")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("color:", color)

	_, err = c.Get(ctx, "config/size")
	fmt.Println("size missing:", errors.Is(err, client.ErrNotFound))
	// Output:
	// color: green
	// size missing: true
}

// A counter that several programs may raise: read, and write only if nobody
// else has written in between.
func ExampleClient_CompareAndSet() {
	c, disconnect := connect()
	defer disconnect()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer c.Close(ctx)

	raise := func(key string) (int, error) {
		expect, n := client.Absent(), 0
		for {
			err := c.CompareAndSet(ctx, key, expect, fmt.Sprint(n+1))
			var met *client.ConflictError
			if !errors.As(err, &met) {
				return n + 1, err
			}
			if expect, n = client.Absent(), 0; met.Found {
				expect = client.Value(met.Value)
				fmt.Sscan(met.Value, &n)
			}
		}
	}
	for range 3 {
		n, err := raise("visits")
		fmt.Println(n, err)
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 3 <nil>
}

// What a program may conclude from an error.
func ExampleError() {
	c, disconnect := connect()
	defer disconnect()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer c.Close(ctx)

	switch err := c.Put(ctx, "k", "v"); {
	case err == nil:
		fmt.Println("written, once")
	case errors.Is(err, client.ErrOutcomeUnknown):
		fmt.Println("perhaps written: look before writing again")
	case errors.Is(err, client.ErrSessionExpired):
		fmt.Println("not written; make a new client")
	default:
		fmt.Println("not written:", err)
	}
	// Output: written, once
}

// lead writes while it holds the lock. It stands in the README, too.
func lead(ctx context.Context, c *client.Client, write func(text, sequencer string) error) error {
	f, err := c.Open(ctx, "/ls/local/leader", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	if err != nil {
		return err
	}
	lock, err := f.Acquire(ctx, client.Exclusive) // waits until it is free
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	for lock.Held() && err == nil { // asks the clock; who gets the sequencer asks the cell
		err = write("the leader was here", lock.Sequencer())
	}
	return err
}

// A server that takes writes of the present leader only, however late a former one's
// arrive.
func ExampleHandle_CheckSequencer() {
	c, disconnect := connect()
	defer disconnect()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer c.Close(ctx)

	var late string
	server := func(text, sequencer string) error {
		f, err := c.Open(ctx, "/ls/local/leader", client.OpenOptions{})
		if err == nil {
			err = f.CheckSequencer(ctx, sequencer)
		}
		if err == nil && late == "" {
			fmt.Println("written:", text)
			late = sequencer
			return errors.New("enough")
		}
		return err
	}
	fmt.Println(lead(ctx, c, server))
	fmt.Println(server("am I still the leader?", late))
	// Output:
	// written: the leader was here
	// enough
	// client: check-sequencer "/ls/local/leader": stale sequencer
}
