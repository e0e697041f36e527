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
		rt.Go("network", func() { rt.Deliver(to, cell.handle(to, msg)) })
	})
	c := client.New(rt, client.Config{Replicas: []uint32{1, 2, 3}, Draw: client.Entropy})
	return c, rt.Close
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
