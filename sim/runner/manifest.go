package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Versions of the files of a run.
const (
	// TraceFormat grows when equal runs give other hashes or other lines of trace than before, for
	// any reason except the product's own behaviour.
	TraceFormat = 1
	// ManifestFormat grows when programs can no longer read earlier manifests.
	ManifestFormat = 1
)

// ManifestFile is the name of a manifest in its directory.
const ManifestFile = "manifest.json"

// SeedHash is the trace hash of one seed.
type SeedHash struct {
	Seed    uint64 `json:"seed"`
	Hash    string `json:"hash"`
	Counted bool   `json:"counted"`
	Broken  string `json:"broken,omitempty"` // property or invariant, or "crash", or "internal"
}

// Manifest describes how files were made, precisely enough to make them again. In the directory of
// a failing seed it has a Plan and one hash. In the directory of a batch it has no Plan, the first
// seed in Options, and the hashes of all seeds. In the file of a case it has a script in Options
// and no Plan, because a case is to run on any version.
type Manifest struct {
	Format      int             `json:"format"`
	TraceFormat int             `json:"trace_format"`
	Build       Build           `json:"build"`
	Options     Settings        `json:"options"`
	Plan        json.RawMessage `json:"plan,omitempty"`
	Breach      *cell.Breach    `json:"breach,omitempty"`
	Stack       string          `json:"stack,omitempty"`
	Page        string          `json:"page_error,omitempty"` // why there is no history.html
	Hashes      []SeedHash      `json:"hashes"`
	Shrunk      *Shrunk         `json:"shrunk,omitempty"` // of a case that was shrunk
}

// NewManifest returns the manifest of a run of build b with options o, without hashes.
func NewManifest(b Build, o plan.Options) Manifest {
	return Manifest{Format: ManifestFormat, TraceFormat: TraceFormat, Build: b, Options: SettingsOf(o), Hashes: []SeedHash{}}
}

// Add notes the hash of a seed.
func (m *Manifest) Add(r *cell.Result) {
	m.Hashes = append(m.Hashes, SeedHash{Seed: r.Seed, Hash: r.Hash, Counted: r.Counted, Broken: r.Broke()})
}

// Write writes the manifest into a directory, which it makes if necessary.
func (m *Manifest) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return m.writeFile(filepath.Join(dir, ManifestFile))
}

func (m *Manifest) writeFile(path string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// ErrManifest is wrapped in every error about a manifest or a case that cannot be replayed.
var ErrManifest = errors.New("cannot be replayed")

// ReadManifest reads a manifest and its options. path is the directory of a failing seed, or the
// file of a case. The faults, workloads and checkers of an extension are taken from with, which may
// be nil. Errors say what to do, and wrap ErrManifest.
func ReadManifest(path string, with *scenario.Extension) (Manifest, plan.Options, error) {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		path = filepath.Join(path, ManifestFile)
	}
	refuse := func(format string, args ...any) (Manifest, plan.Options, error) {
		return Manifest{}, plan.Options{}, fmt.Errorf("%s %w: %s", path, ErrManifest, fmt.Sprintf(format, args...))
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse("no such file; name the directory of one failing seed below --out, or a case in it (shrunk.json)")
	}
	if err != nil {
		return refuse("%v", err)
	}
	var head struct {
		Format int `json:"format"`
		World  int `json:"world_format"` // of the manifest of a simtest.World
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return refuse("it is damaged: %v", err)
	}
	if head.World > 0 {
		return refuse("it is of a World, which only its test has; World.Replay of package simtest runs it")
	}
	if head.Format == 0 { // every manifest has one
		return refuse("it is no manifest and no case of a failing seed; name the directory of one below --out, or a case in it (shrunk.json)")
	}
	if head.Format != ManifestFormat {
		return refuse("it has format %d, this program reads %d; use the chubby that wrote it", head.Format, ManifestFormat)
	}
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return refuse("it is damaged: %v", err)
	}
	isCase := m.Options.Script != nil
	if m.Plan == nil && !isCase || len(m.Hashes) != 1 || m.Hashes[0].Seed != m.Options.Seed {
		return refuse("it is that of many seeds; name the directory of one seed below it")
	}
	if isCase && m.Breach == nil {
		return refuse("it is a case, and does not say what broke; shrink the seed again")
	}
	o, err := m.Options.Options(with)
	if err != nil {
		return refuse("%v; use the program that wrote it", err)
	}
	if err := errors.Join(o.Check(), cell.CheckJudge(o.Judge, o.With)); err != nil {
		return refuse("its options are not possible: %v", err)
	}
	return m, o, nil
}

// Differences describes how a build differs from that of the manifest, as far as this may change
// the run. It returns none if the run must be the same.
func (m *Manifest) Differences(b Build) []string {
	var all []string
	differ := func(what, was, is any) {
		if was != is {
			all = append(all, fmt.Sprintf("%s %v (this is %v)", what, was, is))
		}
	}
	if m.Build.Commit == UnknownCommit || b.Commit == UnknownCommit {
		differ("program", m.Build.name(), b.name())
	} else {
		differ("commit", m.Build.Commit, b.Commit)
	}
	differ("chubby", m.Build.Chubby, b.Chubby)
	differ("Go", m.Build.Go, b.Go)
	differ("trace format", m.TraceFormat, TraceFormat)
	return all
}

// SamePlan reports whether this build draws the plan of the manifest from o, the options that
// ReadManifest returned with it.
func (m *Manifest) SamePlan(o plan.Options) bool {
	now, err := json.Marshal(plan.New(o))
	var was bytes.Buffer
	return err == nil && json.Compact(&was, m.Plan) == nil && bytes.Equal(was.Bytes(), now)
}
