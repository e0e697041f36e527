package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/chubbycell/chubby/client"
)

// connect returns a Client of a cell that runs in this process, and a function that stops its
// Runtime. In a program, the function given to NewRuntime puts messages on the network, and the
// network's receiver calls Deliver.
func connect() (*client.Client, func()) { return connectTo(newCell()) }

func connectTo(cell *cell) (*client.Client, func()) {
	var rt *client.Goroutines
	rt = client.NewRuntime(func(to client.Replica, msg []byte) {
		rt.Go("network", func() { cell.handle(to.ID, msg, func(answer []byte) { rt.Deliver(to, answer) }) })
	})
	return client.New(rt, client.Config{Replicas: []uint32{1, 2, 3}, Draw: client.Entropy}), rt.Close
}

func Example() {
	c, disconnect := connect()
	defer disconnect()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), 10*time.Second)
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

// A counter that several programs increment: each reads the row, and writes only if no other
// program has written in between.
func ExampleClient_CompareAndSet() {
	c, disconnect := connect()
	defer disconnect()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer c.Close(ctx)

	increment := func(key string) (int, error) {
		expect, n := client.Absent(), 0
		for {
			err := c.CompareAndSet(ctx, key, expect, fmt.Sprint(n+1))
			var conflict *client.ConflictError
			if !errors.As(err, &conflict) {
				return n + 1, err
			}
			if expect, n = client.Absent(), 0; conflict.Found {
				expect = client.Value(conflict.Value)
				fmt.Sscan(conflict.Value, &n)
			}
		}
	}
	for range 3 {
		n, err := increment("visits")
		fmt.Println(n, err)
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 3 <nil>
}

// How a program acts on the error of a call.
func ExampleError() {
	c, disconnect := connect()
	defer disconnect()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer c.Close(ctx)

	switch err := c.Put(ctx, "k", "v"); {
	case err == nil:
		fmt.Println("written, once")
	case errors.Is(err, client.ErrOutcomeUnknown):
		fmt.Println("perhaps written: read before writing again")
	case errors.Is(err, client.ErrSessionExpired):
		fmt.Println("not written; make a new client")
	default:
		fmt.Println("not written:", err)
	}
	// Output: written, once
}

// Acquire waits for a lock; TryAcquire fails if the lock is not free. Handles exclude each
// other, also within one program.
func ExampleHandle_Acquire() {
	c, disconnect := connect()
	defer disconnect()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer c.Close(ctx)

	options := client.OpenOptions{Rights: client.Write, Create: client.CreateMay}
	first, err := c.Open(ctx, "/ls/local/job", options)
	if err != nil {
		log.Fatal(err)
	}
	second, err := c.Open(ctx, "/ls/local/job", options)
	if err != nil {
		log.Fatal(err)
	}
	lock, err := first.Acquire(ctx, client.Exclusive)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("first holds the lock:", lock.Held())
	_, err = second.TryAcquire(ctx, client.Exclusive)
	fmt.Println("second is refused:", errors.Is(err, client.ErrLockHeld))

	if err := lock.Release(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("first after Release:", lock.Err())
	lock, err = second.TryAcquire(ctx, client.Exclusive)
	fmt.Println("second holds the lock:", err == nil && lock.Held())
	// Output:
	// first holds the lock: true
	// second is refused: true
	// first after Release: client: lock "/ls/local/job": lock not held
	// second holds the lock: true
}

// A program that follows the events of its sessions. The cell of this example elects a new
// master, which handles and locks survive.
func ExampleClient_Events() {
	cell := newCell()
	c, disconnect := connectTo(cell)
	defer disconnect()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer c.Close(ctx)
	events := c.Events()
	defer events.Close()

	if err := c.Put(ctx, "k", "v"); err != nil {
		log.Fatal(err)
	}
	cell.set(func() { cell.failover(3) })
	if err := c.Put(ctx, "k", "w"); err != nil {
		log.Fatal(err)
	}
	event, err := events.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	switch event.Kind {
	case client.EventJeopardy:
		fmt.Println("stop acting on locks")
	case client.EventSafe:
		fmt.Println("continue: nothing was lost")
	case client.EventFailover:
		fmt.Println("a new master, epoch", event.Epoch)
	case client.EventExpired:
		fmt.Println("all handles and locks are lost: start again with a new client")
	}
	// Output: a new master, epoch 2
}

// A program that follows a configuration file: it reads once, and again after each event. The cell
// tells it of a change at once; it does not ask. WantInvalid tells it that the file was deleted.
func ExampleHandle_Events() {
	c, disconnect := connect()
	defer disconnect()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer c.Close(ctx)
	config, err := c.Open(ctx, "/ls/local/config", client.OpenOptions{
		Rights: client.Read | client.Write, Create: client.CreateMay, Contents: "workers: 1",
		Events: client.WantContents | client.WantInvalid,
	})
	if err != nil {
		log.Fatal(err)
	}
	text, _, err := config.Contents(ctx)
	fmt.Println(text, err)

	if _, err := config.SetContents(ctx, "workers: 2", 0); err != nil { // any client may do this
		log.Fatal(err)
	}
	for event, err := range config.Events().All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		text, _, err := config.Contents(ctx)
		if errors.Is(err, client.ErrGone) {
			fmt.Printf("%v: the file was deleted\n", event.Kind)
			break
		}
		fmt.Printf("%v: %s %v\n", event.Kind, text, err)
		if err := config.Delete(ctx); err != nil { // nor need this be the program's own doing
			log.Fatal(err)
		}
	}
	// Output:
	// workers: 1 <nil>
	// contents: workers: 2 <nil>
	// invalid: the file was deleted
}

// lead writes while it holds the lock, and returns why it stopped. The README shows this function.
func lead(ctx context.Context, c *client.Client, write func(text, sequencer string) error) error {
	f, err := c.Open(ctx, "/ls/local/leader", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	if err != nil {
		return err
	}
	defer f.Close(ctx)                            // frees the lock too
	lock, err := f.Acquire(ctx, client.Exclusive) // waits until it is free
	for err == nil {
		if err = lock.Err(); err == nil { // asks the local clock; the server compares
			err = write("the leader was here", lock.Sequencer())
		}
	}
	return err
}

// A server that accepts writes of the present leader only, however late the requests of a
// former leader arrive.
func ExampleHandle_CheckSequencer() {
	c, disconnect := connect()
	defer disconnect()
	ctx, cancel := c.Runtime().WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	defer c.Close(ctx)

	// One handle serves all requests: a session may have 4,096 of them.
	f, err := c.Open(ctx, "/ls/local/leader", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close(ctx)
	var late string
	server := func(text, sequencer string) error {
		err := f.CheckSequencer(ctx, sequencer)
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
