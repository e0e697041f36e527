package replicas

import (
	"github.com/chubbycell/chubby/paxos"
)

func ballot(round uint64, id paxos.NodeID) paxos.Ballot { return paxos.Ballot{Round: round, Node: id} }
