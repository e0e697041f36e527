package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/transport/queue"
)

func TestAFullQueueDropsTheOldest(t *testing.T) {
	q := queue.New(3, 10)
	for _, s := range []string{"1", "2", "3", "4"} {
		q.Add([]byte(s))
	}
	require.Len(t, q.Wake(), 1)
	require.Equal(t, [][]byte{[]byte("2"), []byte("3"), []byte("4")}, q.Take())
	q.Add([]byte("12345"))
	q.Add([]byte("123456"))
	q.Add(make([]byte, 11))
	require.Len(t, q.Take(), 1)
	require.EqualValues(t, 3, q.Dropped())
	q.Add([]byte("x"))
	q.Drop()
	require.EqualValues(t, 4, q.Dropped())
	require.Empty(t, q.Take())
}
