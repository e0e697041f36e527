package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/sim/mutants"
	"github.com/chubbycell/chubby/sim/runner"
)

// readBuild returns what this program was built from. The go command stamps what it
// builds, but not what it runs right away: then the source tree around the
// working directory is asked, which it was built from a moment ago. Of a program
// that was built without a stamp only its own digest is known.
func readBuild() runner.Build {
	b := runner.Build{Commit: runner.UnknownCommit, Go: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	path, err := os.Executable()
	if err != nil {
		return b
	}
	b.Program = digest(path)
	if b.Commit == runner.UnknownCommit && strings.Contains(path, "go-build") { // where go run and go test put programs
		askGit(&b)
	}
	return b
}

// digest is a checksum of a program's file; "" if the file cannot be read.
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

func askGit(b *runner.Build) {
	root, err := mutants.Root(".")
	if err != nil {
		return
	}
	commit, err := git(root, "rev-parse", "HEAD")
	if err != nil {
		return
	}
	changes, err := git(root, "status", "--porcelain")
	b.Commit, b.Modified = commit, err != nil || changes != ""
}

func git(root string, args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
	return strings.TrimSpace(string(out)), err
}

// shortCommit names a commit in a few letters.
func shortCommit(b runner.Build) string {
	short := b.Commit
	if len(short) > 12 && short != runner.UnknownCommit {
		short = short[:12]
	}
	if b.Modified {
		short += ", modified"
	}
	return short
}

// versions is the JSON form of `chubby version`.
type versions struct {
	runner.Build
	TraceFormat    int `json:"trace_format"`
	ManifestFormat int `json:"manifest_format"`
}

func (a *app) versionCommand() *cobra.Command {
	var form output
	c := &cobra.Command{
		Use:   "version",
		Short: "Say what this program was built from",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := form.check(); err != nil {
				return err
			}
			v := versions{a.build(), runner.TraceFormat, runner.ManifestFormat}
			if form == "json" {
				return a.json(v)
			}
			modified := ""
			if v.Modified {
				modified = ", modified"
			}
			return a.printf("commit   %s%s\nprogram  %s\ngo       %s %s/%s\ntrace    format %d\n",
				v.Commit, modified, v.Program, v.Go, v.GOOS, v.GOARCH, v.TraceFormat)
		},
	}
	form.register(c)
	return c
}
