package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/transport/queue"
)

func TestAFullQueueDropsTheOldest(t *testing.T) {
	q := queue.New(3, 10)
	add := func(wire []byte) { q.Add(queue.Datagram{Tag: uint32(len(wire)), Wire: wire}) }
	for _, s := range []string{"1", "2", "3", "4"} {
		add([]byte(s))
	}
	require.Len(t, q.Wake(), 1)
	require.Equal(t, []queue.Datagram{{Tag: 1, Wire: []byte("2")}, {Tag: 1, Wire: []byte("3")}, {Tag: 1, Wire: []byte("4")}}, q.Take())
	add([]byte("12345"))
	add([]byte("123456"))
	add(make([]byte, 11))
	require.Len(t, q.Take(), 1)
	require.EqualValues(t, 3, q.Dropped())
	add([]byte("x"))
	q.Drop()
	require.EqualValues(t, 4, q.Dropped())
	require.Empty(t, q.Take())
}
