package workload

import "github.com/chubbycell/chubby/linearizability"

// said is a call and its answer in words, for listeners.
type said struct {
	asked string
	got   string // "": the answer is not definite
}

var (
	rowWords  = linearizability.KV()
	nodeWords = linearizability.File()
)

// saidOfRow puts a call on rows into words.
func saidOfRow(in linearizability.KVInput, out linearizability.KVOutput, known bool) said {
	s := said{asked: rowWords.InputText(in)}
	if known {
		s.got = rowWords.OutputText(in, out)
	}
	return s
}

// saidOfNode puts a call on a node into words.
func saidOfNode(in linearizability.FileInput, out linearizability.FileOutput, known bool) said {
	s := said{asked: nodeWords.InputText(in)}
	if known {
		s.got = nodeWords.OutputText(in, out)
	}
	return s
}
