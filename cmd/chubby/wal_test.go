package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// writeLog makes a log of three entries, all known to be durable.
func writeLog(t *testing.T, root string) {
	log, _, err := wal.Open(vfs.NewOS(root), "log", wal.Options{SegmentSize: 4096})
	require.NoError(t, err)
	for i := range 3 {
		require.NoError(t, log.Append(wal.Entry{LSN: wal.LSN(i + 1), Kind: 7, Tag: []byte("tag"), Data: "the data of an entry"}))
		require.NoError(t, log.Sync())
	}
	require.NoError(t, log.Idle())
	require.NoError(t, log.Close())
}

func TestALogIsDumped(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	writeLog(t, root)
	segments, err := filepath.Glob("log/*.wal")
	require.NoError(t, err)
	require.Len(t, segments, 1)
	require.NoError(t, os.Chmod(segments[0], 0o444)) // to look is enough

	w := newWorld()
	for _, name := range []string{"log", segments[0], filepath.Join(root, segments[0])} {
		require.Equal(t, cli.ExitClean, w.do("wal", "dump", name), w.err.String())
		require.Contains(t, w.out.String(), "#3 kind 7")
	}
	require.Equal(t, cli.ExitClean, w.do("wal", "dump", "log/manifest.a"), w.err.String())
	require.Contains(t, w.out.String(), "register manifest.a")
}

func TestDamageIsToldWithItsPlace(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	writeLog(t, root)
	segments, err := filepath.Glob("log/*.wal")
	require.NoError(t, err)
	text, err := os.ReadFile(segments[0])
	require.NoError(t, err)
	text[70] ^= 1 // data of the first entry
	require.NoError(t, os.WriteFile(segments[0], text, 0o644))

	w := newWorld()
	require.Equal(t, cli.ExitUsage, w.do("wal", "dump", segments[0]))
	require.True(t, strings.HasPrefix(w.err.String(), "chubby: "+segments[0]+": damaged at offset "), w.err.String())
	require.Contains(t, w.out.String(), "#3 kind 7", "what can be read is printed")
	for _, dir := range []string{"log", "log/", "./log", filepath.Join(root, "log")} {
		require.Equal(t, cli.ExitUsage, w.do("wal", "dump", dir))
		want := "chubby: " + strings.TrimRight(dir, "/") + "/" + filepath.Base(segments[0]) + ": damaged at offset "
		require.True(t, strings.HasPrefix(w.err.String(), want), w.err.String())
	}

	require.NoError(t, os.Mkdir("sub", 0o755))
	require.NoError(t, os.WriteFile("sub/noise", []byte("this is no log at all"), 0o644))
	require.Equal(t, cli.ExitUsage, w.do("wal", "dump", "sub/noise"))
	require.True(t, strings.HasPrefix(w.err.String(), "chubby: sub/noise: "), w.err.String())
	require.Equal(t, cli.ExitUsage, w.do("wal", "dump", "sub/../sub"))
	require.True(t, strings.HasPrefix(w.err.String(), "chubby: sub/../sub: no log here"), w.err.String())
	require.NoError(t, os.Mkdir("sub/log", 0o755))
	require.Equal(t, cli.ExitUsage, w.do("wal", "dump", "sub"))
	require.Equal(t, "chubby: sub: no log here; its log is sub/log\n", w.err.String())
	require.Equal(t, cli.ExitClean, w.do("wal", "dump", "--help"))
	require.Contains(t, w.out.String(), "The exit code is 2 for damage")
}

// A directory is judged as a whole: what is durable by the manifest is no torn tail.
func TestADirectoryIsJudgedAsRecoveryJudgesIt(t *testing.T) {
	const second = "log/0000000000000002.wal" // of three, of two entries each
	flip := func(at int) func(t *testing.T) {
		return func(t *testing.T) {
			text, err := os.ReadFile(second)
			require.NoError(t, err)
			text[at] ^= 1
			require.NoError(t, os.WriteFile(second, text, 0o644))
		}
	}
	for name, c := range map[string]struct {
		harm func(t *testing.T)
		code int
		want []string
	}{
		"none":              {func(*testing.T) {}, cli.ExitClean, nil},
		"last data":         {flip(36 + 51 + 40), cli.ExitUsage, []string{second, "offset 87", "#4", "reports #4 as lost"}},
		"last header":       {flip(36 + 51 + 9), cli.ExitUsage, []string{second, "offset 87", "#4", "recovery refuses the log"}},
		"segment gone":      {func(t *testing.T) { require.NoError(t, os.Remove(second)) }, cli.ExitUsage, []string{second, "offset 0", "gone", "#3", "recovery refuses the log"}},
		"segment cut short": {func(t *testing.T) { require.NoError(t, os.Truncate(second, 100)) }, cli.ExitUsage, []string{second, "offset 87", "#4", "recovery refuses the log"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			t.Chdir(root)
			log, _, err := wal.Open(vfs.NewOS(root), "log", wal.Options{SegmentSize: 150})
			require.NoError(t, err)
			for i := range 6 {
				require.NoError(t, log.Append(wal.Entry{LSN: wal.LSN(i + 1), Kind: 7, Tag: []byte("tag"), Data: "sixteen bytes..."}))
			}
			require.NoError(t, log.Close())
			c.harm(t)

			w := newWorld()
			require.Equal(t, c.code, w.do("wal", "dump", "log"), "%s%s", &w.out, &w.err)
			for _, want := range c.want {
				require.Contains(t, w.err.String(), want)
			}
			require.Contains(t, w.out.String(), "#6 kind 7", "what can be read is printed")
		})
	}
}

func TestAFileIsJudgedAlone(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	writeLog(t, root)
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("wal", "dump", "log/0000000000000001.wal"))
	require.Contains(t, w.out.String(), "judged alone")
	require.Equal(t, cli.ExitClean, w.do("wal", "dump", "log"))
	require.NotContains(t, w.out.String(), "judged alone")
}

// With -o json each line is an object that has the line without it, and what the line says in fields.
func TestALogIsDumpedAsJSON(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	writeLog(t, root)
	segment := "log/0000000000000001.wal"
	w := newWorld()
	dump := func(name string, code int) (all []walLine) {
		require.Equal(t, code, w.do("wal", "dump", name), w.err.String())
		lines, said := strings.Split(strings.TrimSuffix(w.out.String(), "\n"), "\n"), w.err.String()
		require.Equal(t, code, w.do("wal", "dump", name, "-o", "json"), w.err.String())
		require.Equal(t, said, w.err.String())
		for text := range strings.Lines(w.out.String()) {
			require.Equal(t, walSchema, schema.Accept(t, projectAt, []byte(text)))
			var l walLine
			require.NoError(t, json.Unmarshal([]byte(text), &l))
			require.Equal(t, lines[len(all)], l.Text)
			all = append(all, l)
		}
		require.Len(t, all, len(lines))
		return all
	}
	kinds := map[string]int{}
	for _, l := range dump("./log/", cli.ExitClean) {
		if kinds[l.Kind]++; l.Kind == "entry" {
			require.Equal(t, []any{"./" + segment, uint8(7), "746167", int64(20), "ok"}, []any{l.File, l.EntryKind, l.Tag, l.Bytes, l.State})
			require.NotEmpty(t, l.CRC)
			require.EqualValues(t, kinds["entry"], l.LSN)
		}
	}
	require.Equal(t, 3, kinds["entry"])
	require.Equal(t, 2, kinds["register"])
	for _, kind := range []string{"listed", "segment", "mark", "end", "opens"} {
		require.NotZero(t, kinds[kind], kind)
	}
	require.Equal(t, "note", dump(segment, cli.ExitClean)[0].Kind)

	text, err := os.ReadFile(segment)
	require.NoError(t, err)
	text[70] ^= 1 // data of the first entry
	require.NoError(t, os.WriteFile(segment, text, 0o644))
	i := slices.IndexFunc(dump("log", cli.ExitUsage), func(l walLine) bool { return l.State == "rotten" && l.LSN == 1 })
	require.NotEqual(t, -1, i, "the rotten entry is told of")
	text[40] ^= 1 // its header
	require.NoError(t, os.WriteFile(segment, text, 0o644))
	i = slices.IndexFunc(dump("log", cli.ExitUsage), func(l walLine) bool { return l.Kind == "unreadable" && l.LSN == 1 && l.File == segment })
	require.NotEqual(t, -1, i, "the unreadable place is told of")
	require.Equal(t, cli.ExitUsage, w.do("wal", "dump", "log", "-o", "xml"))
	require.Empty(t, w.out.String())
}
