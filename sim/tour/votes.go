package tour

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/scenario"
)

// duel has two replicas campaign against each other.
func duel() Scene {
	return Scene{
		Name: "duel", Title: "Two candidates that do not give way",
		Questions: [3]Question{
			{"Two replicas campaign at the same instant. Can both win?", "No. Each needs promises of a majority at its own ballot, and any two majorities have a replica in common. That replica never goes back to a lower ballot: once it has promised the higher one, it votes for nothing at the lower one."},
			{"What does a replica that has promised 3.2 say to a prepare at 3.1?", "It refuses with a nack that names what it has promised. The candidate gives up this attempt and needs a higher ballot. Ballots of two replicas are never equal, since the number of the replica is part of them."},
			{"Can they go on like this for ever? What ends it?", "In theory yes: Paxos cannot guarantee progress without assumptions about time. (The script of this scene makes them campaign without a wait.) In practice each waits for a random time before it tries again, longer each time, and a replica that hears of a leader does not campaign."},
		},
		Read: []string{"paxos/election.go", "paxos/acceptor.go", "paxos/proposer.go"},
		seed: 11, clients: 1, length: 9 * sec, grant: -1,
		parts: func() (func(scenario.Stage), func(int, actor)) {
			return func(s scenario.Stage) {
					s.After(5*sec, func() {
						was := s.Leader()
						rest := others(s, was)
						s.Resign(was)
						s.Campaign(rest[0])
						for n := range 4 { // each as soon as the other has its promises
							s.After(time.Duration(n)*4*ms, func() { s.Campaign(rest[(n+1)%2]) })
						}
					})
				}, func(_ int, a actor) {
					a.writes(300*ms, 8*sec)
				}
		},
		tells: []tell{
			{kind: moments.Believes, text: `leader`, from: 5*sec + ms/2, most: 20},
			{kind: moments.Heard, text: `prepare`, from: 4900 * ms, most: 10},
			{kind: moments.Heard, text: `nack`, from: 4900 * ms, most: 4},
			{kind: moments.Believes, text: `serves clients`, from: 4900 * ms},
		},
	}
}

// lostVote loses the votes for a value on their way to the leader, and then the leader.
func lostVote() Scene {
	return Scene{
		Name: "lost-vote", Title: "Votes that were cast and never arrived",
		Questions: [3]Question{
			{"A leader asks for votes, both others vote, and all their answers are lost. Is the value chosen?", "Yes. A value is chosen as soon as a majority has voted for it durably, even if no replica knows that yet."},
			{"The leader dies. Its successor has a write of its own to propose. May it put that into this slot?", "No. Its majority of promises meets the majority of votes in at least one replica, which reports its vote in the promise. The successor must propose the value with the highest ballot that is reported."},
			{"What may the client be told in the meantime?", "Nothing: the outcome is unknown. It asks the next master again with the same sequence number; the log has the command once, so it is executed once and answered."},
		},
		Read: []string{"paxos/acceptor.go", "paxos/proposer.go", "client/doc.go"},
		seed: 5, clients: 1, length: 14 * sec, tune: []string{"master-lease=1s"},
		parts: func() (func(scenario.Stage), func(int, actor)) {
			return func(s scenario.Stage) {
					s.After(5*sec, func() {
						leader := s.Leader()
						mend := deaf(s, leader)
						s.After(100*ms, func() { s.CutPower(leader) })
						ends(s, 300*ms, mend)
					})
				}, func(_ int, a actor) {
					a.at(5*sec + 10*ms)
					a.says("asks to put the value")
					began := a.Now()
					err := a.within(8*sec, func(ctx context.Context) error { return a.Client().Put(ctx, row, "the value") })
					a.says("is answered after %v: %s", a.took(began), short(err))
				}
		},
		tells: []tell{
			{kind: moments.Done, text: `are lost`, from: 5 * sec},
			{kind: says, text: `asks to put`},
			{kind: moments.Heard, text: `: call .* put `, from: 5 * sec},
			{kind: moments.Heard, text: `accept `, from: 5 * sec, most: 2},
			{kind: moments.Durable, text: `vote|accepted`, from: 5 * sec, most: 3},
			{kind: moments.Done, text: `loses power`, from: 5 * sec},
			{kind: moments.Believes, text: `believes it is the leader`, from: 5 * sec},
			{kind: moments.Heard, text: `: promise .*votes`, from: 5100 * ms, most: 2},
			{kind: moments.Believes, text: `serves clients`, from: 5 * sec},
			{kind: moments.Executes, text: `Put`, from: 5 * sec},
			{kind: says, text: `is answered`},
		},
	}
}
