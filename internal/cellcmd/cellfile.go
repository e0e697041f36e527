package cellcmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// devFile is where chubby dev writes its cell file, and where the other commands look for it. It
// fails if another user may have put a file there.
func devFile() (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("chubby-%d", os.Getuid()))
	if own := os.Getenv("XDG_RUNTIME_DIR"); own != "" {
		dir = filepath.Join(own, "chubby")
	}
	if err := checkOwner(dir); err != nil {
		return "", cli.Usage("%v; give --cell or CHUBBY_CELL, or --file to chubby dev", err)
	}
	return filepath.Join(dir, "dev.json"), nil
}

// writeCellFile replaces a cell file, so that it is there whole or not at all.
func writeCellFile(name string, t client.Target) error {
	text, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".cell-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// removeCellFile removes a cell file, unless another cell has written its own meanwhile.
func removeCellFile(name string, t client.Target) {
	have, err := client.ParseTarget(name)
	if err == nil && sameReplicas(have, t) {
		os.Remove(name)
	}
}

func sameReplicas(a, b client.Target) bool {
	for id, addr := range a.Replicas {
		if b.Replicas[id] != addr {
			return false
		}
	}
	return len(a.Replicas) == len(b.Replicas)
}

// isInUse reports whether a replica of a cell file can be reached.
func isInUse(name string) bool {
	t, err := client.ParseTarget(name)
	if err != nil {
		return false
	}
	for _, addr := range t.Replicas {
		conn, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			conn.Close()
			return true
		}
	}
	return false
}
