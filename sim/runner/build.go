package runner

import "strings"

// Build is what a program was built from: two builds of one commit, not modified,
// give equal runs, and so do two equal programs.
type Build struct {
	Commit   string `json:"commit"`   // or the version of a module that was fetched; UnknownCommit where the build does not say
	Modified bool   `json:"modified"` // the source differed from that commit
	Program  string `json:"program"`  // digest of the program's own file, "" if it could not be read
	Go       string `json:"go"`
	GOOS     string `json:"goos"`
	GOARCH   string `json:"goarch"`
	// Chubby is the version of this project's module in a program of another one, or the
	// directory that replaces it; "" in a program of this one. Commit is then that of the
	// program's own module.
	Chubby string `json:"chubby,omitempty"`
}

// UnknownCommit is the commit of a build that was not stamped with one.
const UnknownCommit = "unknown"

// SameProgram says that both are known to be the same file.
func (b Build) SameProgram(c Build) bool { return b.Program != "" && b.Program == c.Program }

// name is what tells a build from others that know no commit.
func (b Build) name() string {
	if b.Program != "" {
		return b.Program
	}
	return b.Commit
}

// Short names the commit in a few letters, and says whether the source differed from it.
func (b Build) Short() string {
	short := b.Commit
	if len(short) > 12 && !strings.HasPrefix(short, "v") { // a hash, and no version
		short = short[:12]
	}
	if b.Modified {
		short += ", modified"
	}
	return short
}
