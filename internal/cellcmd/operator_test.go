package cellcmd

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// The master is known as soon as a majority has answered and the newest epoch is that of a replica that serves. A
// replica that hangs is waited for if the answers leave a doubt, and for two seconds only.
func TestAReplicaThatHangsDoesNotHideTheMaster(t *testing.T) {
	serves := func(epoch uint64) *chubbyv1.ReplicaDescription {
		return &chubbyv1.ReplicaDescription{Epoch: epoch, Serving: true}
	}
	follows := func(epoch uint64) *chubbyv1.ReplicaDescription { return &chubbyv1.ReplicaDescription{Epoch: epoch} }
	for name, c := range map[string]struct {
		says   map[uint32]*chubbyv1.ReplicaDescription // the replicas of three that answer; 3 hangs
		down   bool                                    // replica 1
		master uint32                                  // 0: none
		waits  time.Duration
	}{
		"a majority knows the master":          {map[uint32]*chubbyv1.ReplicaDescription{1: follows(3), 2: serves(3)}, false, 2, 0},
		"the master alone":                     {map[uint32]*chubbyv1.ReplicaDescription{2: serves(3)}, true, 2, 2 * time.Second},
		"the one that serves may be deposed":   {map[uint32]*chubbyv1.ReplicaDescription{1: follows(4), 2: serves(3)}, false, 2, 2 * time.Second},
		"no one serves":                        {map[uint32]*chubbyv1.ReplicaDescription{1: follows(4), 2: follows(4)}, false, 0, 2 * time.Second},
		"two serve, and one of them is of old": {map[uint32]*chubbyv1.ReplicaDescription{1: serves(4), 2: serves(3)}, false, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				all := ask(t.Context(), []uint32{1, 2, 3}, func(ctx context.Context, id uint32) (*chubbyv1.ReplicaDescription, error) {
					switch d := c.says[id]; {
					case d != nil:
						return d, nil
					case id == 1 && c.down:
						return nil, errors.New("connection refused")
					}
					<-ctx.Done()
					return nil, ctx.Err()
				}, isMasterAmong)
				require.Equal(t, c.waits, time.Since(begun))
				id, ok := masterAmong(all)
				require.Equal(t, c.master != 0, ok)
				if ok {
					require.Equal(t, c.master, id)
				}
				require.Error(t, all[2].err)
			})
		})
	}
}
