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
)

// chubbyModule is this project's module.
const chubbyModule = "github.com/chubbycell/chubby"

// ThisBuild returns what the running program was built from. go build stamps a program with its
// commit, but go run and go test do not. For their programs, ThisBuild asks git for the commit of
// the source tree around the working directory, from which they were just built. For other programs
// without a stamp only the digest of their file is known.
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
	b.Program = digest(path)
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
	commit, err := git(root, "rev-parse", "HEAD")
	if err != nil {
		return
	}
	changes, err := git(root, "status", "--porcelain")
	b.Commit, b.Modified = commit, b.Modified || err != nil || changes != ""
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
