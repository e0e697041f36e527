package model

import "github.com/chubbycell/chubby/linearizability/history"

// fileSettle is the Settle of the file model, for contents. Two rules, each with its proof:
//
//  1. An unknown write of contents that no other operation writes to that path, and that
//     some operation read: every such read came after the write, so the write took effect
//     before the first of them returned.
//  2. Unknown writes to a path where every observation of contents has a generation that a completed
//     write or creation reported: generations do not repeat, so no operation read what an
//     unknown write wrote, and no condition was met by the generation of an unknown write. All of
//     them can be left out.
//
// An unknown creation is settled by the first rule only, because an existing name can be
// observed in too many ways.
func fileSettle(ops []*history.Operation[FileInput, FileOutput], until []int64) {
	if !anyUnknown(ops) {
		return
	}
	w := fileObservations{writers: map[KVPair]int{}, read: map[KVPair]int64{}, made: map[string]map[uint64]bool{}, unclear: map[string]bool{}}
	for _, op := range ops {
		w.noteWrite(op)
	}
	for _, op := range ops {
		if op.Outcome == history.OutcomeOK {
			w.noteSeen(op)
		}
	}
	for i, op := range ops {
		if op.Outcome == history.OutcomeUnknown {
			until[i] = w.settle(op)
		}
	}
}

// fileObservations records what the operations of a partition write and observe. Its pairs are
// a path and contents.
type fileObservations struct {
	writers map[KVPair]int             // operations that may write these contents
	read    map[KVPair]int64           // first return of an operation that read them
	made    map[string]map[uint64]bool // by path: generations that completed writes report
	unclear map[string]bool            // paths where other generations, or contents without one, were observed
}

func (w *fileObservations) noteWrite(op *history.Operation[FileInput, FileOutput]) {
	in, out := &op.Input, &op.Output
	if !isContentsWrite(op) {
		return
	}
	w.writers[KVPair{in.Path, in.Contents}]++
	if op.Outcome != history.OutcomeOK {
		return
	}
	if w.made[in.Path] == nil {
		w.made[in.Path] = map[uint64]bool{}
	}
	w.made[in.Path][out.Stat.Content] = true
}

// isContentsWrite reports whether op wrote contents, or may have.
func isContentsWrite(op *history.Operation[FileInput, FileOutput]) bool {
	switch in, out := &op.Input, &op.Output; in.Op {
	case FileSet:
		return op.Outcome == history.OutcomeUnknown || out.Code == FileOK
	case FileOpen:
		return in.Create != FileCreateNever && (op.Outcome == history.OutcomeUnknown || out.Code == FileOK && out.Created)
	}
	return false
}

func (w *fileObservations) noteSeen(op *history.Operation[FileInput, FileOutput]) {
	in, out := &op.Input, &op.Output
	if in.Op == FileReadDir {
		for _, c := range out.Children {
			w.noteStat(inside(in.Path)+c.Name, &c.Stat, false)
		}
		return
	}
	w.noteStat(in.Path, &out.Stat, in.Op == FileGet && out.Code == FileOK)
	if in.Op == FileSet && in.When != 0 && !w.made[in.Path][in.met(out)] {
		w.unclear[in.Path] = true
	}
	if in.Op == FileGet && out.Code == FileOK {
		p := KVPair{in.Path, out.Contents}
		if first, ok := w.read[p]; !ok || op.Return < first {
			w.read[p] = op.Return
		}
	}
}

// met returns the generation that the call observed: the one that met its condition or, after a conflict, the present
// one.
func (in *FileInput) met(out *FileOutput) uint64 {
	if out.Code == FileConflict {
		return out.Stat.Content
	}
	return in.When
}

// noteStat records reported metadata of the node at path, with its contents or without.
func (w *fileObservations) noteStat(path string, s *FileStat, contents bool) {
	shown := contents || s.Content != 0 || s.Kind == FilePlain
	if shown && (s.Content == 0 || !w.made[path][s.Content]) {
		w.unclear[path] = true
	}
}

// settle returns by when an operation of unknown outcome took effect.
func (w *fileObservations) settle(op *history.Operation[FileInput, FileOutput]) int64 {
	if !isContentsWrite(op) {
		return history.Never
	}
	in := &op.Input
	p := KVPair{in.Path, in.Contents}
	first, read := w.read[p]
	switch {
	case in.Op == FileSet && !w.unclear[in.Path]:
		return NoEffect
	case read && w.writers[p] == 1 && first > op.Call:
		return first
	}
	return history.Never
}
