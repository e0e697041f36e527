package cell

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal"
)

// One copy of a register has rotted, and a write to the other one failed half-way:
// nothing can be read, until a power cut takes the half away.
func TestADiskThatWasRefusedForWhatWasNotOnIt(t *testing.T) {
	c := someCell(t, 3)
	r := running(c.replicas[0])
	mem := c.replicas[0].Disk().Mem()
	require.True(t, c.watch.Budget.Take(r.Id))
	write := func() {
		f, err := mem.Open(damage.Registers[0] + ".a")
		require.NoError(t, err)
		_, err = f.WriteAt([]byte("half"), 0)
		require.NoError(t, err)
	}
	require.False(t, damage.HalfWritten(mem))
	write()
	require.True(t, damage.HalfWritten(mem))
	c.refused(r, &wal.DamageError{File: "x", Why: "rot"}, false)
	require.True(t, c.watch.Budget.IsDead(r.Id))
	c.watch.Rot.Reported(r.Id, store.Report{})
	require.Nil(t, c.world.Failure())
	require.False(t, c.watch.Budget.IsDead(r.Id))
	require.False(t, c.watch.Budget.Rises(r.Id), "once for each time")
}

// Who refuses its store, and may: S17 has two directions.
func TestS17WhoMayRefuse(t *testing.T) {
	damage := &wal.DamageError{File: "x", Why: "rot"}
	for name, c := range map[string]struct {
		strike func(c *seedRun, id paxos.NodeID)
		lost   bool
		breaks bool
	}{
		"nothing was damaged":        {func(*seedRun, paxos.NodeID) {}, true, true},
		"damage that stops":          {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id); c.watch.Budget.Doom(id) }, false, false},
		"both copies of a register":  {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id) }, true, false},
		"damage that it has to bear": {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id) }, false, true},
		"damage to another replica":  {func(c *seedRun, id paxos.NodeID) { c.watch.Budget.Take(id%3 + 1) }, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			cell := someCell(t, 3)
			r := running(cell.replicas[0])
			c.strike(cell, r.Id)
			cell.refused(r, errors.Join(damage), c.lost)
			if f := cell.world.Failure(); c.breaks {
				require.NotNil(t, f)
				require.Equal(t, "S17", f.ID)
			} else {
				require.Nil(t, f)
			}
			require.Equal(t, !c.breaks, cell.watch.Budget.IsDead(r.Id))
		})
	}
}

// A register is lost when neither copy has what the disk was told to keep.
func TestWhetherARegisterIsLost(t *testing.T) {
	c := someCell(t, 3)
	r := running(c.replicas[0])
	mem := c.replicas[0].Disk().Mem()
	d := &c.watch.Disks[r.Id]
	value, ok := ondisk.Register(mem, damage.Registers[0])
	require.True(t, ok)
	says := ondisk.ReadPromise(value)
	require.Equal(t, d.Boot, says.Boot)
	require.Equal(t, d.Promise, says.Ballot)
	require.False(t, c.watch.Rot.Lost(r.Id, mem))

	for _, name := range damage.Registers {
		old, err := mem.Contents(name + ".a")
		require.NoError(t, err)
		require.NoError(t, mem.Overlay(name+".a", 0, make([]byte, len(old))))
		require.False(t, c.watch.Rot.Lost(r.Id, mem), "the other one is good")
		b, err := mem.Contents(name + ".b")
		require.NoError(t, err)
		require.NoError(t, mem.Overlay(name+".b", 0, make([]byte, len(b))))
		require.True(t, c.watch.Rot.Lost(r.Id, mem))
		require.NoError(t, mem.Overlay(name+".a", 0, old))
		require.False(t, c.watch.Rot.Lost(r.Id, mem))
	}
	image, err := mem.Contents(damage.Registers[0] + ".a")
	require.NoError(t, err)
	require.Len(t, image, ondisk.PromiseImage, "a write of it that goes astray hits no more")
	manifest, ok := ondisk.Register(mem, damage.Registers[1])
	require.True(t, ok)
	require.LessOrEqual(t, ondisk.Begin(manifest), says.First)
	cutting := func(first uint64) {
		b, err := mem.Contents(damage.Registers[1] + ".a")
		require.NoError(t, err)
		binary.LittleEndian.PutUint64(b[20+24:], first)
		end := len(b) - 4
		binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli)))
		for _, suffix := range ondisk.Copies {
			require.NoError(t, mem.Overlay(damage.Registers[1]+suffix, 0, b))
		}
	}
	cutting(says.First)
	require.False(t, c.watch.Rot.Lost(r.Id, mem))
	cutting(says.First + 1)
	require.True(t, c.watch.Rot.Lost(r.Id, mem), "what is there is from before the log was cut")
	cutting(says.First)
	b, err := mem.Contents(damage.Registers[0] + ".a")
	require.NoError(t, err)
	require.NoError(t, mem.Overlay(damage.Registers[0]+".b", 0, b))
	d.Begun.Round++
	require.False(t, c.watch.Rot.Lost(r.Id, mem), "it was to be written, and both copies are good")
	require.NoError(t, mem.Overlay(damage.Registers[0]+".b", 0, make([]byte, len(b))))
	require.True(t, c.watch.Rot.HasLostRegister(r.Id, mem), "the bad one may have had it")
	require.NoError(t, mem.Overlay(damage.Registers[0]+".b", 0, b))
	require.False(t, c.watch.Rot.Lost(r.Id, mem), "that was mended")
	require.True(t, c.watch.Rot.HasLostRegister(r.Id, mem), "and is lost all the same")
	d.Begun.Round--
	d.Boot++
	require.True(t, c.watch.Rot.Lost(r.Id, mem), "what is there is older")
}
