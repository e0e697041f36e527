package linearizability

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type fileOperation = Operation[FileInput, FileOutput]

func lostFile(client, call int64, in FileInput) fileOperation {
	return fileOperation{Client: client, Call: call, Return: Never, Outcome: OutcomeUnknown, Input: in}
}

// create returns a call that creates a file with FileCreateMust.
func create(path, contents string) FileInput {
	return FileInput{Op: FileOpen, Path: path, Create: FileCreateMust, Kind: FilePlain, Contents: contents}
}

func on(op FileOp, path string, instance uint64) FileInput {
	return FileInput{Op: op, Path: path, Instance: instance}
}

func set(path string, instance uint64, contents string, when uint64) FileInput {
	return FileInput{Op: FileSet, Path: path, Instance: instance, Contents: contents, When: when}
}

// node returns the metadata of a node with the numbers that matter here.
func node(instance, content uint64) FileStat { return FileStat{Instance: instance, Content: content} }

func created(instance, content uint64) FileOutput {
	return FileOutput{Created: true, Stat: node(instance, content)}
}

func wrote(content uint64) FileOutput { return FileOutput{Stat: FileStat{Content: content}} }

func holds(contents string, content uint64) FileOutput {
	return FileOutput{Contents: contents, Stat: FileStat{Content: content}}
}

func badFileHistories() []badHistory[FileInput, FileOutput] {
	type ops = []fileOperation
	directory := FileInput{Op: FileOpen, Path: "/d", Create: FileCreateMust, Kind: FileDirectory}
	get, stat, list := on(FileGet, "/f", 7), on(FileGetStat, "/f", 7), on(FileReadDir, "/", 0)
	remove, lock := on(FileDelete, "/f", 7), on(FileTakeLock, "/f", 7)
	names := FileInput{Op: FileSetNames, Path: "/f", Instance: 7, Names: FileNames{"r", "w", "c"}}
	gone := FileOutput{Code: FileGone}
	return []badHistory[FileInput, FileOutput]{
		{"a read of the contents before the last",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 4, set("/f", 7, "b", 0), wrote(9)), done(2, 5, 6, get, holds("a", 7))},
			func(o ops) { o[1].Return = 9 }},
		{"the contents of one write with the generation of another",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 4, set("/f", 7, "b", 0), wrote(9)), done(2, 5, 6, get, holds("b", 7))},
			func(o ops) { o[2].Output = holds("b", 9) }},
		{"a generation that goes down",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 4, set("/f", 7, "b", 0), wrote(9)), done(1, 5, 6, set("/f", 7, "c", 0), wrote(8))},
			func(o ops) { o[2].Output = wrote(10) }},
		{"a generation that stays",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 4, set("/f", 7, "a", 0), wrote(7))},
			func(o ops) { o[1].Output = wrote(8) }},
		{"no room for the generation of a write that was seen",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), lostFile(2, 3, set("/f", 7, "b", 0)), done(1, 4, 5, get, FileOutput{Contents: "b"}), done(1, 6, 7, set("/f", 7, "c", 0), wrote(8))},
			func(o ops) { o[3].Output = wrote(9) }},
		{"two generations for one write whose reply was lost",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), lostFile(2, 3, set("/f", 7, "b", 0)), done(1, 4, 5, get, holds("b", 9)), done(1, 6, 7, get, holds("b", 10))},
			func(o ops) { o[3].Output = holds("b", 9) }},
		{"a lost write takes effect twice",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), lostFile(2, 3, set("/f", 7, "b", 0)), done(1, 4, 5, get, holds("b", 8)), done(1, 6, 7, set("/f", 7, "c", 0), wrote(9)), done(1, 8, 9, get, holds("b", 10))},
			func(o ops) { o[2].Output = holds("a", 7) }},
		{"a condition is met by an older generation",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 4, set("/f", 7, "b", 0), wrote(9)), done(2, 5, 6, set("/f", 7, "c", 7), wrote(10))},
			func(o ops) { o[2].Input.When = 9 }},
		{"two writes under one condition",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 5, set("/f", 7, "b", 7), wrote(9)), done(2, 4, 6, set("/f", 7, "c", 7), wrote(10))},
			func(o ops) { o[2].Output = FileOutput{Code: FileConflict, Stat: node(7, 9)} }},
		{"a conflict with the generation that was asked for",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 4, set("/f", 7, "b", 7), FileOutput{Code: FileConflict, Stat: node(7, 7)})},
			func(o ops) { o[1].Output = wrote(8) }},
		{"a condition on names moves the contents",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 4, names, FileOutput{}), done(1, 5, 6, stat, FileOutput{Stat: node(7, 8)})},
			func(o ops) { o[2].Output.Stat.Content = 7 }},
		{"names that were never set",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 4, names, FileOutput{}), done(1, 5, 6, stat, FileOutput{Stat: FileStat{Names: FileNames{"r", "w", "x"}}})},
			func(o ops) { o[1].Input.Names[2] = "x" }},
		{"two creations that both must be the first",
			ops{done(1, 1, 3, create("/f", "a"), created(7, 7)), done(2, 2, 4, create("/f", "b"), created(8, 8))},
			func(o ops) { o[1].Output = FileOutput{Code: FileExists} }},
		{"a creation that finds what is not there",
			ops{done(1, 1, 2, create("/f", "a"), FileOutput{Code: FileExists})},
			func(o ops) { o[0].Output = created(7, 7) }},
		{"a creation where there is no directory",
			ops{done(1, 1, 2, create("/d/f", "a"), created(7, 7))},
			func(o ops) { o[0].Input.Path = "/f" }},
		{"a creation in a file",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 4, create("/f/g", "a"), FileOutput{Code: FileNotFound})},
			func(o ops) { o[1].Output.Code = FileNotDirectory }},
		{"an instance that comes back",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 4, remove, FileOutput{}), done(1, 5, 6, create("/f", "b"), created(7, 9))},
			func(o ops) { o[2].Output = created(8, 9) }},
		{"a handle that outlives its node",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(1, 3, 4, remove, FileOutput{}), done(1, 5, 6, create("/f", "a"), created(8, 8)), done(2, 7, 8, get, FileOutput{Contents: "a"})},
			func(o ops) { o[3].Output = gone }},
		{"a handle that dies before its node",
			ops{done(1, 1, 2, create("/f", "a"), created(7, 7)), done(2, 3, 4, get, gone), done(1, 5, 6, remove, FileOutput{})},
			func(o ops) { o[1].Return = 7 }},
		{"a deletion of what has children",
			ops{done(1, 1, 2, directory, created(6, 0)), done(1, 3, 4, create("/d/f", ""), created(7, 7)), done(2, 5, 6, on(FileDelete, "/d", 6), FileOutput{})},
			func(o ops) { o[2].Output.Code = FileNotEmpty }},
		{"a deletion refused for children that are gone",
			ops{done(1, 1, 2, directory, created(6, 0)), done(2, 3, 4, on(FileDelete, "/d", 6), FileOutput{Code: FileNotEmpty})},
			func(o ops) { o[1].Output.Code = FileOK }},
		{"a list without a node that was made",
			ops{done(1, 1, 2, create("/f", ""), created(7, 7)), done(2, 3, 4, list, FileOutput{})},
			func(o ops) { o[0].Return = 5 }},
		{"a list with metadata of before",
			ops{done(1, 1, 2, create("/f", ""), created(7, 7)), done(1, 3, 4, set("/f", 7, "b", 0), wrote(8)), done(2, 5, 6, list, FileOutput{Children: []FileChild{{Name: "f", Stat: node(7, 7)}}})},
			func(o ops) { o[2].Output.Children[0].Stat.Content = 8 }},
		{"a list that says more and has no more",
			ops{done(1, 1, 2, create("/f", ""), created(7, 7)), done(2, 3, 4, list, FileOutput{Children: []FileChild{{Name: "f", Stat: node(7, 7)}}, More: true})},
			func(o ops) { o[1].Output.More = false }},
		{"a directory counts its children wrongly",
			ops{done(1, 1, 2, directory, created(6, 0)), done(2, 3, 4, on(FileGetStat, "/d", 6), FileOutput{Stat: FileStat{Kind: FileDirectory, Children: 1}})},
			func(o ops) { o[1].Output.Stat.Children = 0 }},
		{"a length that is not that of the contents",
			ops{done(1, 1, 2, create("/f", "abc"), created(7, 7)), done(2, 3, 4, stat, FileOutput{Stat: FileStat{Kind: FilePlain, Length: 4}})},
			func(o ops) { o[1].Output.Stat.Length = 3 }},
		{"a checksum that is not that of the contents",
			ops{done(1, 1, 2, create("/f", "abd"), created(7, 7)), done(2, 3, 4, stat, FileOutput{Stat: FileStat{Kind: FilePlain, Length: 3, Checksum: 0x44bc2cf5ad770999}})},
			func(o ops) { o[0].Input.Contents = "abc" }},
		{"a lock generation that moves by itself",
			ops{done(1, 1, 2, create("/f", ""), FileOutput{Created: true, Stat: FileStat{Instance: 7, Lock: 7}}), done(2, 3, 4, stat, FileOutput{Stat: FileStat{Lock: 8}})},
			func(o ops) { o[1].Input = lock }},
		{"contents of a directory",
			ops{done(1, 1, 2, directory, created(6, 0)), done(2, 3, 4, on(FileGet, "/d", 6), FileOutput{})},
			func(o ops) { o[1].Output.Code = FileIsDirectory }},
		{"children of a file",
			ops{done(1, 1, 2, create("/f", ""), created(7, 7)), done(2, 3, 4, on(FileReadDir, "/f", 7), FileOutput{})},
			func(o ops) { o[1].Output.Code = FileNotDirectory }},
		{"a permanent file that is ephemeral",
			ops{done(1, 1, 2, create("/f", ""), created(7, 7)), done(2, 3, 4, stat, FileOutput{Stat: FileStat{Kind: FilePlain, Ephemeral: true}})},
			func(o ops) { o[0].Input.Ephemeral = true }},
	}
}

func TestBadFileHistoriesAreRejectedByBothChecks(t *testing.T) {
	requireRejected(t, File(), newToyTree(), badFileHistories())
}

func TestAFileExplanationReadsLikeThis(t *testing.T) {
	h := historyOf(t, badFileHistories()[0].ops)
	e, err := Explain(File(), h, Budget{})
	require.NoError(t, err)
	require.Equal(t, `Not linearizable: file "/f", 3 operations.
The first 2 completions have a legal order, the first 3 have none. The last of them:
  #3 client 2: get /f#7 -> "a" of node content 7 [called 5, returned 6]
cannot have had this result. Possible there: "b" of file#7 content 9 length 1.
It contradicts:
  #2 client 1: set /f#7 = "b" -> node content 9 [called 3, returned 4]: returned before it was called
Its result would follow from:
  #1 client 1: open /f must create file = "a" -> created node#7 content 7 [called 1, returned 2]: returned before it was called
`, e.Text)
}

// TestTheWitnessOutputIsChecked: a client lost its reply, the log has the result, and the result
// is wrong.
func TestTheWitnessOutputIsChecked(t *testing.T) {
	at := func(slot int64, op fileOperation) fileOperation {
		op.At = Position{Slot: slot}
		return op
	}
	ops := []fileOperation{
		at(1, done(1, 1, 2, create("/f", "a"), created(7, 7))),
		at(2, lostFile(1, 3, set("/f", 7, "b", 0))),
		done(2, 4, 5, on(FileGet, "/f", 7), holds("b", 9)),
	}
	require.Equal(t, Legal, CheckWitness(File(), historyOf(t, ops)).Verdict)
	ops[1].WitnessOutput, ops[1].Output = true, wrote(9)
	require.Equal(t, Legal, CheckWitness(File(), historyOf(t, ops)).Verdict)
	ops[1].Output = wrote(10)
	require.Equal(t, 2, CheckWitness(File(), historyOf(t, ops)).Violation.Op)
	ops[1].Output = wrote(6)
	w := CheckWitness(File(), historyOf(t, ops))
	require.Equal(t, 1, w.Violation.Op)
	require.Contains(t, w.Violation.Text, "node content 6 in the witness")
	r, err := Check(File(), historyOf(t, ops), Budget{})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Verdict, "the search does not know what no client knows")

	ops[1].Outcome, ops[1].Return = OutcomeOK, 4
	_, err = NewHistory(ops)
	require.ErrorIs(t, err, ErrMalformed)
}

// TestOfAmbiguousAnswersTheWitnessTakesTheFirst: an accepted history is linearizable; a refused
// one may be too, if it does not report enough.
func TestOfAmbiguousAnswersTheWitnessTakesTheFirst(t *testing.T) {
	at := func(slot int64, op fileOperation) fileOperation {
		op.At = Position{Slot: slot}
		return op
	}
	ops := []fileOperation{
		at(1, done(1, 1, 2, create("/f", "a"), created(7, 7))),
		at(2, lostFile(1, 3, set("/f", 7, "b", 0))),
		at(3, lostFile(1, 4, set("/f", 7, "b", 0))),
		done(2, 5, 8, on(FileGet, "/f", 7), holds("b", 9)),
		at(4, done(3, 6, 7, set("/f", 7, "c", 9), wrote(10))),
	}
	h := historyOf(t, ops)
	require.Equal(t, Illegal, CheckWitness(File(), h).Verdict, "the read is taken to be of the first of two like writes")
	r, err := Check(File(), h, Budget{})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Verdict)
	ops[1].WitnessOutput, ops[1].Output, ops[2].WitnessOutput, ops[2].Output = true, wrote(8), true, wrote(9)
	require.Equal(t, Legal, CheckWitness(File(), historyOf(t, ops)).Verdict)
}

func TestFilesArePartedByTheRootsChildren(t *testing.T) {
	ops := []fileOperation{
		done(1, 1, 2, create("/f", ""), created(7, 7)),
		done(1, 3, 4, FileInput{Op: FileOpen, Path: "/d", Create: FileCreateMay, Kind: FileDirectory}, created(8, 0)),
		done(1, 5, 6, create("/d/f", ""), created(9, 9)),
		done(1, 7, 8, FileInput{Op: FileOpen, Path: "/"}, FileOutput{Stat: FileStat{Instance: 1}}),
	}
	part := func() (names []string) {
		r, err := Check(File(), historyOf(t, ops), Budget{})
		require.NoError(t, err)
		require.Equal(t, Legal, r.Verdict)
		for _, p := range r.Partitions {
			names = append(names, p.Name)
		}
		return names
	}
	require.Equal(t, []string{"/", "/d", "/f"}, part())
	ops[3].Output.Stat.Kind, ops[3].Output.Stat.Children = FileDirectory, 2
	require.Equal(t, []string{""}, part())
}

// TestSettlingFilesKeepsTheSearchShort: lost writes that no operation read are left out; a lost write that was read has a
// bound.
func TestSettlingFilesKeepsTheSearchShort(t *testing.T) {
	rec := NewRecorder[FileInput, FileOutput](200)
	rec.OK(rec.Call(1, 0, create("/f", "")), 0, created(1, 1))
	for i := range uint64(40) {
		rec.Unknown(rec.Call(2, 0, set("/f", 1, "lost", 0)), 0)
		rec.OK(rec.Call(1, 0, set("/f", 1, "kept", 0)), 0, wrote(2*i+3))
	}
	rec.OK(rec.Call(1, 0, on(FileGet, "/f", 1)), 0, holds("kept", 5))
	settlingHelps(t, File, rec.History())
}

func TestFileInputsAreValidated(t *testing.T) {
	for says, in := range map[string]FileInput{
		"op: no such operation 0":               {Path: "/f"},
		"op: no such operation 9":               {Op: 9, Path: "/f"},
		`path: "f" is not "/" or such as`:       on(FileGet, "f", 0),
		`path: "/f/" is not "/" or such as`:     on(FileGet, "/f/", 0),
		`path: "/f//g" is not "/" or such as`:   on(FileGet, "/f//g", 0),
		`path: "" is not "/" or such as`:        on(FileGet, "", 0),
		"path: the root is never deleted":       on(FileDelete, "/", 0),
		"create: no such creation 3":            {Op: FileOpen, Path: "/f", Create: 3, Kind: FilePlain},
		"kind: no such kind 0":                  {Op: FileOpen, Path: "/f", Create: FileCreateMay},
		"contents: a directory has none":        {Op: FileOpen, Path: "/f", Create: FileCreateMay, Kind: FileDirectory, Contents: "a"},
		`dir: "/e" is neither "/f" nor`:         {Op: FileOpen, Path: "/f", Dir: "/e"},
		`dir: "/f/g" is neither "/f" nor`:       {Op: FileOpen, Path: "/f", Dir: "/f/g"},
		`dir: "/f" is neither "/fg" nor a dire`: {Op: FileOpen, Path: "/fg", Dir: "/f"},
	} {
		_, err := Check(File(), historyOf(t, []fileOperation{lostFile(1, 1, in)}), Budget{})
		require.ErrorIs(t, err, ErrMalformed)
		require.ErrorContains(t, err, says)
	}
}

func TestFileStatesAreEqualHoweverTheyCameAbout(t *testing.T) {
	m := File()
	does := func(s FileState, in FileInput) FileState {
		ok, next := m.Effect(s, in)
		require.True(t, ok)
		return next
	}
	a := does(does(m.Init(), create("/a", "1")), create("/b", "2"))
	b := does(does(m.Init(), create("/b", "2")), create("/a", "1"))
	require.True(t, m.Equal(a, b))
	require.Equal(t, m.Hash(a), m.Hash(b))
	require.Equal(t, `{/ directory children 2, /a file length 1 sum b7b41276360564d4, /b file length 1 sum 6021b5621680598b}`, a.String())
	require.False(t, m.Equal(a, does(b, set("/a", 0, "1", 0))), "another generation")
	require.False(t, m.Equal(a, does(b, create("/c", ""))))
}
