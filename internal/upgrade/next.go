package upgrade

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Mark stands in the log once the next program has proposed its new command.
const Mark = "of-the-next-program"

// edit replaces the only occurrence of a text in a file.
type edit struct{ file, old, new string }

// edits make the next program.
var edits = []edit{
	{"replica/api/version.go", "NewestVersion byte = 5", "NewestVersion byte = 6"},
	{"replica/api/request_codec.go", "	return AppendOp(appendFlag(dst, q.MayCache), q.Op)\n",
		"	dst = AppendOp(appendFlag(dst, q.MayCache), q.Op)\n	if v >= 6 {\n		dst = appendFlag(dst, true)\n	}\n	return dst\n"},
	{"replica/api/request_codec.go", "		MayCache: c.flag(), Op: c.op()}\n",
		"		MayCache: c.flag(), Op: c.op()}\n	if len(b) > 0 && b[0] >= 6 && !c.flag() {\n		c.fail(\"no field of the next program\")\n	}\n"},
	{"replica/api/request_codec.go", "	return AppendResult(dst, p.Result)\n",
		"	dst = AppendResult(dst, p.Result)\n	if v >= 6 {\n		dst = appendFlag(dst, true)\n	}\n	return dst\n"},
	{"replica/api/request_codec.go", "	p.Result = c.result()\n",
		"	p.Result = c.result()\n	if len(b) > 0 && b[0] >= 6 && !c.flag() {\n		c.fail(\"no field of the next program\")\n	}\n"},

	{"paxos/codec.go", "NewestWireVersion byte = 2", "NewestWireVersion byte = 3"},
	{"paxos/codec.go", "		w.num(uint64(m.Lease.Rho))\n", "		w.num(uint64(m.Lease.Rho))\n		if version >= 3 {\n			w.num(7)\n		}\n"},
	{"paxos/codec.go", "	m := r.message(b[1])\n",
		"	m := r.message(b[1])\n	if _, isOne := m.(Heartbeat); isOne && b[0] >= 3 {\n		r.bad = r.num() != 7 || r.bad\n	}\n"},

	{"replica/state/command/codec.go", "NewestVersion byte = 3", "NewestVersion byte = 4"},
	{"replica/state/command/codec.go", "	c := r.command(raw[1])\n",
		"	c := r.command(raw[1])\n	if raw[0] >= 4 && r.string() != \"" + Mark + "\" {\n		r.fail(\"no field of the next program\")\n	}\n"},
	{"replica/state/command/codec.go", "// Decode is the inverse of Append.",
		"// AppendNext appends c in version 4.\nfunc AppendNext(dst []byte, c SetLimits) []byte {\n	at := len(dst)\n	dst = Append(dst, c)\n	dst[at] = 4\n	return appendString(dst, \"" + Mark + "\")\n}\n\n// Decode is the inverse of Append."},
	{"replica/core/limits.go", "	raw := command.Append(nil, c)\n",
		"	raw := command.Append(nil, c)\n	if r.Version() >= 4 {\n		raw = command.AppendNext(nil, c)\n	}\n"},
}

// Next returns the files of the next program that differ from those of the tree at root, by their names in it. An edit that
// does not fit the tree any more is an error that names its file and text.
func Next(root string) (map[string]string, error) {
	changed := map[string]string{}
	for _, e := range edits {
		text, ok := changed[e.file]
		if !ok {
			raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(e.file)))
			if err != nil {
				return nil, err
			}
			text = string(raw)
		}
		if n := strings.Count(text, e.old); n != 1 {
			return nil, fmt.Errorf("%s has the text %q %d times, not once: adapt the edits of internal/upgrade/next.go to the file", e.file, e.old, n)
		}
		changed[e.file] = strings.Replace(text, e.old, e.new, 1)
	}
	return changed, nil
}
