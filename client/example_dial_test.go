package client_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/server"
)

// A program that connects to a cell over the network.
func ExampleDial() {
	target, stop := startReplica() // for instance "1=10.0.0.1:7400,2=10.0.0.2:7400,3=10.0.0.3:7400", or "cell.json"
	defer stop()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, err := client.Dial(ctx, target)
	if err != nil {
		log.Fatal(err) // says of each replica why it was not reached
	}
	defer c.Close(ctx)
	f, err := c.Open(ctx, "/ls/local/hello", client.OpenOptions{
		Rights: client.Read | client.Write, Create: client.CreateMay, Contents: "first words",
	})
	if err != nil {
		log.Fatal(err)
	}
	text, _, err := f.Contents(ctx)
	fmt.Println(text, err)
	// Output: first words <nil>
}

// startReplica runs a cell of one replica, as `chubby serve` does, and returns where it is.
func startReplica() (target string, stop func()) {
	dir, err := os.MkdirTemp("", "chubby-example-")
	if err != nil {
		log.Fatal(err)
	}
	listen := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		return l
	}
	peers, clients := listen(), listen()
	s, err := server.Start(server.Config{
		Cell: "example", ID: 1, Members: map[uint32]string{1: peers.Addr().String()},
		Dir: filepath.Join(dir, "1"), ListenClients: clients.Addr().String(),
	}, server.Options{Bootstrap: true, Peers: peers, Clients: clients})
	if err != nil {
		log.Fatal(err)
	}
	return "1=" + s.ClientAddr().String(), func() {
		_ = s.Stop(context.Background())
		os.RemoveAll(dir)
	}
}
