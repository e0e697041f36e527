package runner

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// chubbyModule is this project's module.
const chubbyModule = "github.com/chubbycell/chubby"

// ThisBuild returns what the running program was built from. go build stamps a program with its
// commit, but go run and go test do not. For their programs, ThisBuild asks git for the commit of
// the source tree around the working directory, from which they were just built. For other programs
// without a stamp only the digest of their file is known. The file and git are read once: what the
// running program was built from stays the same when its file or the tree change later.
func ThisBuild() Build {
	b := Build{Commit: UnknownCommit, Go: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if ok {
		b.readStamp(info)
	}
	path, err := os.Executable()
	if err != nil {
		return b
	}
	b.Program = digestOfThis()
	if ok && b.Commit == UnknownCommit && strings.Contains(path, "go-build") { // where go run and go test put programs
		b.askGit(info.Main.Path)
	}
	return b
}

// readStamp notes what the go command has written into the program.
func (b *Build) readStamp(info *debug.BuildInfo) {
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	if v := info.Main.Version; b.Commit == UnknownCommit && v != "" && v != "(devel)" {
		b.Commit = v // the version of a fetched module names its commit
	}
	if info.Main.Path == chubbyModule {
		return
	}
	for _, m := range info.Deps {
		if m.Path != chubbyModule {
			continue
		}
		switch r := m.Replace; {
		case r == nil:
			b.Chubby = m.Version
		case r.Version == "" || r.Version == "(devel)": // a directory, whose commit is not known
			b.Chubby, b.Modified = r.Path, true
		default:
			b.Chubby = r.Path + " " + r.Version
		}
	}
}

// digestOfThis returns the digest of the running program's file. Tests ask for it hundreds of times,
// and each digest takes 30 ms.
var digestOfThis = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return digest(path)
})

// digest returns the digest of a program file, or "" if it cannot be read.
func digest(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// askGit asks git for the commit of a module, if the working directory is in its source tree.
func (b *Build) askGit(module string) {
	root := moduleRoot(module)
	if root == "" {
		return
	}
	ask, _ := trees.LoadOrStore(root, sync.OnceValue(func() tree { return treeAt(root) }))
	if x := ask.(func() tree)(); x.commit != "" {
		b.Commit, b.Modified = x.commit, b.Modified || x.modified
	}
}

// tree is what git says of a source tree; commit is "" if it says nothing.
type tree struct {
	commit   string
	modified bool
}

// trees has a func() tree for each root directory of which git was asked.
var trees sync.Map

// treeAt asks git for the source tree whose root is the directory.
func treeAt(root string) tree {
	commit, err := git(root, "rev-parse", "HEAD")
	if err != nil {
		return tree{}
	}
	changes, err := git(root, "status", "--porcelain")
	return tree{commit, err != nil || changes != ""}
}

// moduleRoot returns the root directory of a module, which is the working directory or above it; ""
// if it is not.
func moduleRoot(module string) string {
	dir, err := os.Getwd()
	for err == nil {
		if moduleOf(filepath.Join(dir, "go.mod")) == module {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return ""
}

// moduleOf returns the module that a go.mod file names, or "" if it cannot be read.
func moduleOf(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "module "); ok {
			return strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	return ""
}

func git(root string, args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
	return strings.TrimSpace(string(out)), err
}
