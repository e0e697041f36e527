package agreement

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

func TestAnAnswerIsComplete(t *testing.T) {
	file := model.FileStat(api.Stat{Kind: api.File, Instance: 9, Content: 9, Lock: 9, ACL: 9, Checksum: api.ChecksumOf("")})
	file.Names = linearizability.FileNames{"a", "b", "c"}
	dir := file
	dir.Kind, dir.Content, dir.Checksum = linearizability.FileDirectory, 0, 0
	bare := linearizability.FileStat{Kind: linearizability.FilePlain, Length: 3}
	unnamed := file
	unnamed.Names[2] = ""
	undated := file
	undated.Content = 0
	lists := func(s ...linearizability.FileStat) (out linearizability.FileOutput) {
		for _, s := range s {
			out.Children = append(out.Children, linearizability.FileChild{Name: "x", Stat: s})
		}
		return out
	}
	for _, c := range []struct {
		name string
		op   linearizability.FileOp
		out  linearizability.FileOutput
		good bool
	}{
		{"an empty file", linearizability.FileGet, linearizability.FileOutput{Stat: file}, true},
		{"a directory", linearizability.FileOpen, linearizability.FileOutput{Stat: dir}, true},
		{"a deletion", linearizability.FileDelete, linearizability.FileOutput{}, true},
		{"what is not there", linearizability.FileOpen, linearizability.FileOutput{Code: linearizability.FileNotFound}, true},
		{"a directory's children", linearizability.FileReadDir, lists(file, dir), true},
		{"none of them", linearizability.FileReadDir, lists(), true},
		{"contents alone", linearizability.FileGet, linearizability.FileOutput{Contents: "x"}, false},
		{"a conflict alone", linearizability.FileSet, linearizability.FileOutput{Code: linearizability.FileConflict}, false},
		{"a conflict of names alone", linearizability.FileSetNames, linearizability.FileOutput{Code: linearizability.FileConflict}, false},
		{"no numbers", linearizability.FileGetStat, linearizability.FileOutput{Stat: bare}, false},
		{"a name too few", linearizability.FileOpen, linearizability.FileOutput{Stat: unnamed}, false},
		{"no generation of contents", linearizability.FileSet, linearizability.FileOutput{Stat: undated}, false},
		{"a name alone", linearizability.FileReadDir, lists(file, linearizability.FileStat{}), false},
	} {
		f := Untold(linearizability.FileInput{Op: c.op, Path: "/f"}, c.out, false)
		require.Equal(t, c.good, f == model.Finding{}, "%s: %+v", c.name, f)
	}
	require.NotZero(t, api.ChecksumOf(""), "an empty file has a checksum, too")
}
