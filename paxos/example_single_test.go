package paxos_test

import (
	"fmt"
	"strings"
)

// Paxos for one decision, in plain variables (PMS §2.2). Read this before the package:
// acceptor.go and proposer.go are the same two functions, with many slots, a disk and
// messages. Here a ballot is a number, and a call that returns false is a message that
// was lost, or refused.
//
// Proposer 1 gets its value accepted by one acceptor, and crashes. Proposer 2 meets that
// acceptor in its quorum. It does not know whether a quorum accepted "red", so it must
// propose "red" itself. A third proposer, later, finds the same value.
func Example_single() {
	acceptors := []*register{{name: "A"}, {name: "B"}, {name: "C"}}
	const quorum = 2 // of three: two quorums share an acceptor

	// propose runs both phases. lost names the acceptors that no message reaches; the
	// second list is for phase 2.
	propose := func(ballot int, value string, lost1, lost2 string) {
		promises, highest := 0, vote{}
		for _, a := range acceptors {
			if strings.Contains(lost1, a.name) {
				continue // the message of phase 1a was lost
			}
			if v, ok := a.prepare(ballot); ok {
				promises++
				if v.ballot > highest.ballot {
					highest = v
				}
			}
		}
		if promises < quorum {
			fmt.Printf("ballot %d: no quorum promises\n", ballot)
			return
		}
		if highest.ballot > 0 {
			value = highest.value // the value rule: not free to choose
		}
		votes := 0
		for _, a := range acceptors {
			if !strings.Contains(lost2, a.name) && a.accept(ballot, value) {
				votes++
			}
		}
		fmt.Printf("ballot %d: proposes %s, %d of 3 vote, chosen: %t\n", ballot, value, votes, votes >= quorum)
	}

	propose(1, "red", "", "BC")  // accepted by A only, when the proposer crashes
	propose(2, "blue", "C", "A") // A tells of "red"; B and C vote for it
	propose(1, "green", "", "")  // a late proposer: all have promised more
	propose(3, "green", "A", "") // hears of ballot 2, although A is away
	// Output:
	// ballot 1: proposes red, 1 of 3 vote, chosen: false
	// ballot 2: proposes red, 2 of 3 vote, chosen: true
	// ballot 1: no quorum promises
	// ballot 3: proposes red, 3 of 3 vote, chosen: true
}

// register is an acceptor for one decision.
type register struct {
	name     string
	promised int
	vote     vote
}

// vote is what an acceptor accepted last; ballot 0: nothing.
type vote struct {
	ballot int
	value  string
}

// prepare handles phase 1a. Its result is phase 1b: a promise to accept nothing below
// ballot, with the last vote.
func (r *register) prepare(ballot int) (vote, bool) {
	if ballot < r.promised {
		return vote{}, false
	}
	r.promised = ballot
	return r.vote, true
}

// accept handles phase 2a. Its result is phase 2b: the vote.
func (r *register) accept(ballot int, value string) bool {
	if ballot < r.promised {
		return false
	}
	r.promised, r.vote = ballot, vote{ballot, value}
	return true
}
