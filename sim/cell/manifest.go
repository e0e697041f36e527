package cell

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/chubbycell/chubby/paxos"
)

// Versions of what a run leaves behind.
const (
	// TraceFormat grows when equal runs begin to give other hashes or other
	// lines of trace, for whatever reason but the product's own behaviour.
	TraceFormat = 1
	// ManifestFormat grows when a manifest can no longer be read as before.
	ManifestFormat = 1
)

// ManifestFile is the name of a manifest in its directory.
const ManifestFile = "manifest.json"

// Build is what a program was built from: two builds of one commit, not modified,
// give equal runs, and so do two equal programs.
type Build struct {
	Commit   string `json:"commit"`   // UnknownCommit where nobody knows
	Modified bool   `json:"modified"` // the source differed from that commit
	Program  string `json:"program"`  // digest of the program's own file, "" if it could not be read
	Go       string `json:"go"`
	GOOS     string `json:"goos"`
	GOARCH   string `json:"goarch"`
}

// UnknownCommit is the commit of a build that was not stamped with one.
const UnknownCommit = "unknown"

// SameProgram says that both are known to be the same file.
func (b Build) SameProgram(c Build) bool { return b.Program != "" && b.Program == c.Program }

// Settings are Options as files hold them: all that decides a run.
type Settings struct {
	Seed     uint64        `json:"seed"`
	Replicas int           `json:"replicas"` // 0: drawn, and so for the rest
	Clients  int           `json:"clients"`
	Duration time.Duration `json:"duration_ns"`
	Faults   []string      `json:"faults"` // "swarm" alone, or kinds; []: none
	Workload string        `json:"workload"`
	Lease    LeaseSettings `json:"lease,omitzero"`
	Fence    FenceSettings `json:"fence,omitzero"`
}

// FenceSettings are FenceOptions as files hold them.
type FenceSettings struct {
	Mode  FenceMode     `json:"mode"`
	Delay time.Duration `json:"delay_ns"`
	Drift int           `json:"drift_permille"`
}

// LeaseSettings are LeaseOptions as files hold them.
type LeaseSettings struct {
	Grant  time.Duration `json:"grant_ns"`
	Rho    paxos.PPM     `json:"rho_ppm"`
	Error  int           `json:"error_permille"`
	OnlyS7 bool          `json:"only_s7"`
}

// swarm is what Settings call the kinds of faults that are drawn.
const swarm = "swarm"

// Settings are what of the options decides the run.
func (o Options) Settings() Settings {
	s := Settings{o.Seed, o.Replicas, o.Clients, o.Duration, o.Faults, o.Workload, LeaseSettings(o.Lease), FenceSettings(o.Fence)}
	if s.Faults == nil {
		s.Faults = []string{swarm}
	}
	return s
}

// Options are the settings as Run takes them, without a trace.
func (s Settings) Options() Options {
	if len(s.Faults) == 1 && s.Faults[0] == swarm {
		s.Faults = nil
	}
	return Options{Seed: s.Seed, Replicas: s.Replicas, Clients: s.Clients, Duration: s.Duration, Faults: s.Faults, Workload: s.Workload, Lease: LeaseOptions(s.Lease), Fence: FenceOptions(s.Fence)}
}

// SeedHash is the trace hash of one seed.
type SeedHash struct {
	Seed    uint64 `json:"seed"`
	Hash    string `json:"hash"`
	Counted bool   `json:"counted"`
	Broken  string `json:"broken,omitempty"` // property or invariant, or "crash", or "internal"
}

// Manifest says where files came from, precisely enough to get them again. In
// the directory of a failing seed it has a Plan and one hash; in that of a
// campaign it has no Plan, the first seed in Options, and the hashes of all.
type Manifest struct {
	Format      int             `json:"format"`
	TraceFormat int             `json:"trace_format"`
	Build       Build           `json:"build"`
	Options     Settings        `json:"options"`
	Plan        json.RawMessage `json:"plan,omitempty"`
	Breach      *Breach         `json:"breach,omitempty"`
	Stack       string          `json:"stack,omitempty"`
	Page        string          `json:"page_error,omitempty"` // why there is no history.html
	Hashes      []SeedHash      `json:"hashes"`
}

// NewManifest is a manifest of what this build did with these options.
func NewManifest(b Build, o Options) Manifest {
	return Manifest{Format: ManifestFormat, TraceFormat: TraceFormat, Build: b, Options: o.Settings(), Hashes: []SeedHash{}}
}

// Add notes the hash of a seed.
func (m *Manifest) Add(r *Result) {
	h := SeedHash{Seed: r.Seed, Hash: r.Hash, Counted: r.Counted}
	if r.Breach != nil {
		h.Broken = r.broke()
	}
	m.Hashes = append(m.Hashes, h)
}

// Write writes the manifest into a directory, which it makes if need be.
func (m *Manifest) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ManifestFile), append(text, '\n'), 0o644)
}

// ErrManifest is in every error about a directory that cannot be replayed.
var ErrManifest = errors.New("cannot be replayed")

// ReadManifest reads the manifest of a failing seed. Errors say what to do and
// wrap ErrManifest.
func ReadManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	refuse := func(format string, args ...any) (Manifest, error) {
		return Manifest{}, fmt.Errorf("%s %w: %s", path, ErrManifest, fmt.Sprintf(format, args...))
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse("no such file; name the directory of one failing seed below --out")
	}
	if err != nil {
		return refuse("%v", err)
	}
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return refuse("it is damaged: %v", err)
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
	if m.Plan == nil || len(m.Hashes) != 1 || m.Hashes[0].Seed != m.Options.Seed {
		return refuse("it is that of a campaign; name the directory of one seed below it")
	}
	if err := m.Options.Options().Check(); err != nil {
		return refuse("its options are not possible: %v", err)
	}
	return m, nil
}

// Differences says in which ways a build is not the one of the manifest, as far
// as that can give another run; none if the same run must come out.
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
	differ("Go", m.Build.Go, b.Go)
	differ("trace format", m.TraceFormat, TraceFormat)
	return all
}

// name is what tells a build from others that know no commit.
func (b Build) name() string {
	if b.Program != "" {
		return b.Program
	}
	return b.Commit
}

// SamePlan says that this build draws the plan of the manifest from its options.
func (m *Manifest) SamePlan() bool {
	now, err := json.Marshal(NewPlan(m.Options.Options()))
	var was bytes.Buffer
	return err == nil && json.Compact(&was, m.Plan) == nil && bytes.Equal(was.Bytes(), now)
}
