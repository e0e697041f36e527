package lockfile

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// file is what an inode has.
type file struct {
	owner    string // its content
	verifier string // of the exclusive create that made it
	mtime    time.Time
	links    int
}

// directory is the names that it has, and their files.
type directory map[string]*file

// clone is a directory of its own.
func (d directory) clone() directory {
	files, names := map[*file]*file{}, directory{}
	for name, f := range d {
		if files[f] == nil {
			x := *f
			files[f] = &x
		}
		names[name] = files[f]
	}
	return names
}

// export is how a server answers.
type export struct {
	async bool // before what it did is on the disk; else behind that (sync, the default)
}

// writeBack is how often an asynchronous export writes to the disk.
const writeBack = 5 * time.Second

// server is one life of a server.
type server struct {
	export
	*lab.Node
	names   directory
	disk    *directory        // of all lives
	answers map[string]string // the duplicate-request cache, by number of the call
}

// serve is the program of a server.
func (x export) serve() func(n *lab.Node) {
	disk := &directory{}
	return func(n *lab.Node) {
		s := &server{export: x, Node: n, names: disk.clone(), disk: disk, answers: map[string]string{}}
		n.Serve(s.request)
		for x.async {
			n.Sleep(writeBack)
			*disk = s.names.clone()
		}
	}
}

// request executes a call that it has not answered before: its number, procedure and arguments.
func (s *server) request(r lab.Request) {
	number, call, _ := strings.Cut(r.Text, " ")
	answer, again := s.answers[number]
	if !again {
		before := maps.Clone(s.names)
		answer = s.execute(r.From, strings.Fields(call))
		s.answers[number] = answer
		if !s.async && !maps.Equal(before, s.names) {
			*s.disk = s.names.clone()
		}
	}
	s.Answer(r, answer)
}

// execute executes a procedure of a client: LOOKUP name, which gives the attributes and the content;
// REMOVE name; LINK old new; and CREATE in its three modes.
func (s *server) execute(client string, f []string) string {
	x, found := s.names[f[1]]
	switch f[0] {
	case "LOOKUP":
		if found {
			return fmt.Sprintf("ok %d %d %s", x.mtime.UnixNano(), x.links, x.owner)
		}
		return "NOENT"
	case "REMOVE":
		if !found {
			return "NOENT"
		}
		if !strings.HasPrefix(x.owner, client) {
			s.Note("removes the file of %s for %s", x.owner, client)
		}
		x.links--
		delete(s.names, f[1])
	case "LINK":
		if _, taken := s.names[f[2]]; taken {
			return "EXIST"
		}
		x.links++
		s.names[f[2]] = x
	case "UNCHECKED": // UNCHECKED name owner: an existing file is as good as a new one
		if !found {
			s.create(f[1], f[2], "")
		}
	case "GUARDED": // GUARDED name owner
		if found {
			return "EXIST"
		}
		s.create(f[1], f[2], "")
	case "EXCLUSIVE": // EXCLUSIVE name owner verifier
		if found && x.verifier != f[3] {
			return "EXIST"
		}
		if !found {
			s.create(f[1], f[2], f[3])
		}
	}
	return "ok"
}

func (s *server) create(name, owner, verifier string) {
	s.names[name] = &file{owner: owner, verifier: verifier, mtime: s.Wall(), links: 1}
}
