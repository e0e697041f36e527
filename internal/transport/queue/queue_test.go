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

func TestQueuesShareATotal(t *testing.T) {
	all := queue.NewTotal(20, 5)
	var qs []*queue.Queue
	for range 4 {
		q := all.New(100, 10)
		qs = append(qs, q)
		for range 12 {
			q.Add(queue.Datagram{Wire: []byte("x")})
		}
	}
	require.Equal(t, 30, all.Bytes(), "ten, ten, five and five")
	qs[2].Add(queue.Datagram{Wire: make([]byte, 9)})
	require.Len(t, qs[2].Take(), 1, "one is kept in any case")
	require.Equal(t, 25, all.Bytes())
	for range 10 {
		<-qs[0].Wake()
		d, ok := qs[0].Next()
		require.True(t, ok)
		require.Equal(t, []byte("x"), d.Wire)
	}
	_, ok := qs[0].Next()
	require.False(t, ok)
	qs[1].Drop()
	qs[3].Close()
	qs[3].Add(queue.Datagram{Wire: []byte("late")})
	require.Zero(t, all.Bytes())
	require.EqualValues(t, 2+12+1, qs[1].Dropped()+qs[3].Dropped()-10)
}
