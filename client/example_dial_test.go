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
	"github.com/chubbycell/chubby/client/recipe"
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

// A program that leads in two cells. Two cells are two elections: it may lose one of them and keep the other.
func ExampleWithCell() {
	near, stopNear := startCell("near")
	defer stopNear()
	far, stopFar := startCell("far") // ids repeat between cells: this one, too, has a replica 1
	defer stopFar()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, err := client.Dial(ctx, near, client.WithName("near"), client.WithCell("far", far))
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close(ctx)
	for _, cell := range []string{"near", "far"} {
		term, err := recipe.Campaign(ctx, c, recipe.Candidate{File: "/ls/" + cell + "/leader", Address: "10.0.0.9:80"})
		if err != nil {
			log.Fatal(err)
		}
		defer term.Resign(ctx)
		fmt.Println(cell, term.IsLeader())
	}
	// Output:
	// near true
	// far true
}

// startReplica runs a cell of one replica, as `chubby serve` does, and returns where it is.
func startReplica() (target string, stop func()) { return startCell("example") }

func startCell(name string) (target string, stop func()) {
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
		Cell: name, ID: 1, Members: map[uint32]string{1: peers.Addr().String()},
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
