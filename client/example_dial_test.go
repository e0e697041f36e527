package client_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/chubbycell/chubby/client"
)

// A program that connects to a cell over the network. It needs one that runs, so it is not run as
// a test; `chubby dev` prints the name of a cell file.
func ExampleDial() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, err := client.Dial(ctx, "1=127.0.0.1:7400,2=127.0.0.1:7401,3=127.0.0.1:7402")
	if err != nil {
		log.Fatal(err) // says of each replica why it was not reached
	}
	defer c.Close(ctx)
	f, err := c.Open(ctx, "/ls/local/hello", client.OpenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	text, _, err := f.Contents(ctx)
	fmt.Println(text, err)
}
