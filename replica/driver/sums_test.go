package driver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
)

// sumOf is the checksum after a slot.
func sumOf(slot paxos.Slot) db.Sum { return db.Sum{A: uint64(slot), B: 7} }

// sumsOf are sums of the slots from one to another.
func sumsOf(from, to paxos.Slot) *sums {
	s := &sums{}
	s.begin(from, sumOf(from))
	for slot := from + 1; slot <= to; slot++ {
		s.add(sumOf(slot))
	}
	return s
}

// one is the answer to one question, nil if there is none yet.
func (s *sums) one(t *testing.T, slot paxos.Slot) Transfer {
	s.ask(2, 2, slot)
	all := s.answers(1)
	if len(all) == 0 {
		return nil
	}
	require.Len(t, all, 1)
	require.EqualValues(t, 2, all[0].to)
	return all[0].m
}

func TestWhatIsKnownOfASlot(t *testing.T) {
	s := sumsOf(5, 9)
	for slot := paxos.Slot(1); slot <= 12; slot++ {
		switch got := s.one(t, slot); {
		case slot < 5:
			require.Equal(t, NoSum{Slot: slot}, got)
		case slot > 9:
			require.Nil(t, got)
		default:
			require.Equal(t, TellSum{Slot: slot, Sum: sumOf(slot)}, got)
		}
	}
	s.drop(4)
	require.Equal(t, TellSum{Slot: 5, Sum: sumOf(5)}, s.one(t, 5))
	s.drop(7)
	require.Equal(t, NoSum{Slot: 6}, s.one(t, 6))
	require.Equal(t, TellSum{Slot: 7, Sum: sumOf(7)}, s.one(t, 7))
	s.drop(100)
	require.Equal(t, TellSum{Slot: 9, Sum: sumOf(9)}, s.one(t, 9), "the last one is always known")
	s.add(sumOf(10))
	require.Equal(t, TellSum{Slot: 10, Sum: sumOf(10)}, s.one(t, 10))
	s.begin(30, sumOf(30))
	require.Equal(t, NoSum{Slot: 10}, s.one(t, 10))
	require.Equal(t, TellSum{Slot: 30, Sum: sumOf(30)}, s.one(t, 30))
}

// A question may come before its slot was applied here. It waits; of two of one
// peer, the later.
func TestAQuestionWaitsForItsSlot(t *testing.T) {
	s := sumsOf(5, 9)
	s.ask(3, 3, 11)
	s.ask(2, 2, 12)
	s.ask(2, 2, 10)
	require.Empty(t, s.answers(1))
	s.add(sumOf(10))
	require.Equal(t, []outgoing{{2, TellSum{Slot: 10, Sum: sumOf(10)}}}, s.answers(1))
	require.Empty(t, s.answers(1))
	s.begin(40, sumOf(40))
	require.Equal(t, []outgoing{{3, NoSum{Slot: 11}}}, s.answers(1), "it was skipped")
}

// A question that came through another is answered through that, whatever came from
// its author itself.
func TestAnAnswerGoesTheWayOfItsQuestion(t *testing.T) {
	s := sumsOf(5, 9)
	s.ask(2, 2, 9)
	s.ask(2, 3, 9)
	s.ask(4, 3, 4)
	tell := TellSum{Slot: 9, Sum: sumOf(9)}
	require.Equal(t, []outgoing{
		{2, tell}, {3, Relay{From: 1, To: 2, M: tell}}, {3, Relay{From: 1, To: 4, M: NoSum{Slot: 4}}},
	}, s.answers(1))
}
