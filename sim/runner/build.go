package runner

import "strings"

// Build describes what a program was built from. Two unmodified builds of one commit give equal
// runs, and so do two equal programs.
type Build struct {
	Commit   string `json:"commit"`   // or the version of a fetched module; UnknownCommit if the build has neither
	Modified bool   `json:"modified"` // the source differed from that commit
	Program  string `json:"program"`  // digest of the program's own file, "" if it could not be read
	Go       string `json:"go"`
	GOOS     string `json:"goos"`
	GOARCH   string `json:"goarch"`
	// Chubby is for programs of other modules: the version of this project's module, or the
	// directory that replaces it. Commit is then that of the program's own module. It is "" in
	// programs of this module.
	Chubby string `json:"chubby,omitempty"`
}

// UnknownCommit is the commit of a build that was not stamped with one.
const UnknownCommit = "unknown"

// SameProgram reports whether both are known to be the same program file.
func (b Build) SameProgram(c Build) bool { return b.Program != "" && b.Program == c.Program }

// name returns what distinguishes a build from others if one of them has no commit.
func (b Build) name() string {
	if b.Program != "" {
		return b.Program
	}
	return b.Commit
}

// Short returns the first letters of the commit, followed by ", modified" if the source differed
// from it.
func (b Build) Short() string {
	short := b.Commit
	if len(short) > 12 && !strings.HasPrefix(short, "v") { // a hash, not a version
		short = short[:12]
	}
	if b.Modified {
		short += ", modified"
	}
	return short
}
