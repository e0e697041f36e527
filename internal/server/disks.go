package server

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/chubbycell/chubby/internal/transport/peer"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/wal/vfs"
)

// disksFile names, in the directory of a replica, its disk and those that it met the other replicas with.
const disksFile = "disks.json"

const disksFormat = "chubby-disks"

// disks knows the disk of each replica of the cell. A replica whose disk was wiped and that was founded again
// comes with another one: it has forgotten what it promised, and is refused.
//
// A replica that never met the one with the wiped disk cannot tell. So this is a second line behind the
// refusal of empty directories, for an operator who gives --bootstrap all the same.
type disks struct {
	name string // of the file
	own  peer.Disk

	mu    sync.Mutex
	known map[paxos.NodeID]peer.Disk
}

// disksText is what the file holds; disks are hexadecimal.
type disksText struct {
	Format  string            `json:"format"`
	Version int               `json:"version"`
	Own     string            `json:"own"`
	Peers   map[string]string `json:"peers"`
}

// openDisks reads the file, or makes it with a new disk of its own.
func (c *Config) openDisks() (*disks, error) {
	d := &disks{name: filepath.Join(c.Dir, disksFile), known: map[paxos.NodeID]peer.Disk{}}
	err := d.load()
	if errors.Is(err, fs.ErrNotExist) {
		err = c.makeDisks(d)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// makeDisks makes the file under the lock of the store. If each of two processes that begin together drew a
// disk, the file could have that of the one that ends. After the next restart of the other one, its
// peers would refuse it for good.
func (c *Config) makeDisks(d *disks) (err error) {
	fsys, dir, err := c.place()
	if err != nil {
		return err
	}
	lock, err := fsys.Lock(path.Join(dir, "LOCK"))
	if errors.Is(err, vfs.ErrLocked) {
		return fmt.Errorf("dir %s: a replica runs on it already: %w", c.Dir, err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := d.load(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i := range d.own {
		d.own[i] = byte(replica.Entropy())
	}
	return d.write()
}

// load reads the file.
func (d *disks) load() error {
	text, err := os.ReadFile(d.name)
	if err != nil {
		return err
	}
	if err := d.read(text); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	return nil
}

func (d *disks) read(text []byte) error {
	var t disksText
	r := json.NewDecoder(bytes.NewReader(text))
	r.DisallowUnknownFields()
	if err := r.Decode(&t); err != nil {
		return err
	}
	if t.Format != disksFormat || t.Version != 1 {
		return fmt.Errorf("format %q version %d; this program knows %q version 1", t.Format, t.Version, disksFormat)
	}
	var err error
	if d.own, err = parseDisk(t.Own); err != nil {
		return err
	}
	for name, disk := range t.Peers {
		id, err := strconv.ParseUint(name, 10, 32)
		if err != nil {
			return fmt.Errorf("peer %q: %w", name, err)
		}
		if d.known[paxos.NodeID(id)], err = parseDisk(disk); err != nil {
			return fmt.Errorf("peer %q: %w", name, err)
		}
	}
	return nil
}

func parseDisk(text string) (d peer.Disk, err error) {
	b, err := hex.DecodeString(text)
	if err == nil && (len(b) != len(d) || peer.Disk(b) == peer.Disk{}) {
		err = errors.New("it is not 16 bytes, or all of them are 0")
	}
	if err != nil {
		return d, fmt.Errorf("disk %q: %w", text, err)
	}
	return peer.Disk(b), nil
}

func (d *disks) write() error {
	t := disksText{disksFormat, 1, hex.EncodeToString(d.own[:]), map[string]string{}}
	for id, disk := range d.known {
		t.Peers[fmt.Sprint(id)] = hex.EncodeToString(disk[:])
	}
	text, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	return ReplaceFile(d.name, append(text, '\n'), 0o600)
}

// meet is peer.Config.Meet. A disk is durable in the file before the first message from it is read.
func (d *disks) meet(from paxos.NodeID, disk peer.Disk) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch have, ok := d.known[from]; {
	case ok && have == disk:
		return nil
	case ok:
		return fmt.Errorf("replica %d has another disk (%x) than before (%x): if it was founded again after its disk was lost, it has forgotten what it promised and must stay away; the others go on while they are a majority. If it is the right disk, take the entry of replica %d out of %s while the replica there is stopped", from, disk[:4], have[:4], from, d.name)
	}
	d.known[from] = disk
	if err := d.write(); err != nil {
		delete(d.known, from)
		return fmt.Errorf("the disk of replica %d cannot be noted: %w", from, err)
	}
	return nil
}
