package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// Translate gives a message of each version that the program knows, and no other. What is no message has no translation.
func TestTranslateKnowsAllVersions(t *testing.T) {
	request := api.AppendRequest(nil, api.Request{ID: 1, Session: 5, Seq: 1, Op: api.Put{Key: "k", Value: "v"}})
	reply := api.AppendReply(nil, api.Request{ID: 1, Op: api.EndSession{}}.Answer(3, api.Result{Code: api.OK}))
	for v := api.OldestVersion; v <= api.NewestVersion; v++ {
		for _, msg := range [][]byte{request, reply} {
			old, err := api.Translate(msg, v)
			require.NoError(t, err)
			require.Equal(t, v, old[0])
			back, err := api.Translate(old, api.NewestVersion)
			require.NoError(t, err)
			require.Equal(t, msg, back)
		}
	}
	for _, v := range []byte{0, api.OldestVersion - 1, api.NewestVersion + 1} {
		_, err := api.Translate(request, v)
		require.ErrorIs(t, err, api.ErrVersion)
	}
	for _, bad := range [][]byte{nil, {99}, {99, 'Q', 1}, {99, 'A', 1}} {
		_, err := api.Translate(bad, api.NewestVersion)
		require.ErrorIs(t, err, api.ErrMalformed)
	}
}
