package tree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// No operation breaks I-F7 when it is called from outside, so this test does it from inside.
func TestARefusalBehindAWriteIsNoticed(t *testing.T) {
	tx := db.New().Begin()
	o := begin(tx, 1)
	SetLimits(tx, DefaultLimits())
	v := invariant.Caught(func() { o.refuse(api.Quota, node{}) })
	require.NotNil(t, v)
	require.EqualValues(t, "I-F7", v.ID)
}
