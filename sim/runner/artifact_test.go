package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

var someBuild = Build{Commit: "c0ffee", Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64"}

// breaks is cell.Run with a breach added to the result.
func breaks(o plan.Options) cell.Result {
	r := cell.Run(o)
	r.Breach = &cell.Breach{ID: "S1", Text: "so it is said"}
	return r
}

func TestWhatASeedLeavesIsEnoughToRunItAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "seed-3")
	o := plan.Options{Seed: 3, Duration: 2 * time.Second, Faults: []string{"crash", "noise"}, Replicas: 3, Workload: "mixed"}
	r, err := WriteArtifacts(dir, someBuild, breaks, o)
	require.NoError(t, err)

	m, replay, err := ReadManifest(dir, nil)
	require.NoError(t, err)
	require.Empty(t, m.Differences(someBuild))
	require.True(t, m.SamePlan(replay))
	require.Equal(t, o, replay)
	require.Equal(t, "S1", m.Breach.ID)
	require.Equal(t, r.Hash, m.Hashes[0].Hash)
	require.Equal(t, r.Hash, cell.Run(replay).Hash, "with or without a trace, one seed is one history")

	history, err := os.Open(filepath.Join(dir, HistoryFile))
	require.NoError(t, err)
	defer history.Close()
	report, err := linearizability.CheckFile(history, "kv", linearizability.Options{})
	require.NoError(t, err)
	require.Equal(t, linearizability.Legal, report.Verdict)
	require.GreaterOrEqual(t, report.Operations, r.Ops)

	trace, err := os.ReadFile(filepath.Join(dir, TraceFile))
	require.NoError(t, err)
	require.Contains(t, string(trace), " prepare 1.")
	require.Contains(t, string(trace), ": open session ")
	for file, has := range map[string]string{PageFile: "<html", RunPageFile: "S1 broke: so it is said", StoryFile: "Seed 3 breaks S1"} {
		page, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		require.Contains(t, string(page), has)
	}
}

// The history of a seed whose programs use nodes is one of files.
func TestTheHistoryOfNodesIsWritten(t *testing.T) {
	dir := t.TempDir()
	r, err := WriteArtifacts(dir, someBuild, breaks, plan.Options{Seed: 3, Duration: 2 * time.Second, Faults: []string{}, Replicas: 3, Workload: "files"})
	require.NoError(t, err)
	history, err := os.Open(filepath.Join(dir, HistoryFile))
	require.NoError(t, err)
	defer history.Close()
	report, err := linearizability.CheckFile(history, "file", linearizability.Options{})
	require.NoError(t, err)
	require.Equal(t, linearizability.Legal, report.Verdict)
	require.Greater(t, report.Operations, r.Ops/2, "locks are not in it")
}

// The history of locks is written beside it, including what the cell did to locks by itself.
func TestTheHistoryOfLocksIsWritten(t *testing.T) {
	dir := t.TempDir()
	r, err := WriteArtifacts(dir, someBuild, breaks, plan.Options{Seed: 3, Duration: 5 * time.Second, Faults: []string{}, Replicas: 3, Workload: "locks"})
	require.NoError(t, err)
	history, err := os.Open(filepath.Join(dir, LocksFile))
	require.NoError(t, err)
	defer history.Close()
	report, err := linearizability.CheckFile(history, "lock", linearizability.Options{})
	require.NoError(t, err)
	require.Equal(t, linearizability.Legal, report.Verdict, report.Text())
	require.Equal(t, r.LockHistory().Len(), report.Operations)
	require.Greater(t, report.Witness.Logged, r.Ops/10)
}

// Histories of an earlier run of the seed, with other flags or another program, do not stay beside the new manifest.
func TestADirectoryWithoutAHistoryIsComplete(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{HistoryFile, LocksFile, PageFile} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("of an earlier run"), 0o644))
	}
	run := func(o plan.Options) cell.Result {
		return cell.Result{Seed: o.Seed, Hash: "0a", Breach: &cell.Breach{Text: "early"}}
	}
	_, err := WriteArtifacts(dir, someBuild, run, plan.Options{Seed: 9})
	require.NoError(t, err)
	m, _, err := ReadManifest(dir, nil)
	require.NoError(t, err)
	require.Equal(t, "there is no history", m.Page)
	require.Equal(t, "crash", m.Hashes[0].Broken)
	for _, name := range []string{HistoryFile, LocksFile, PageFile} {
		require.NoFileExists(t, filepath.Join(dir, name))
	}
}

// A case of an earlier run does not stay beside the trace of a run that was not shrunk: replay would show another run
// than the trace.
func TestACaseOfAnEarlierRunDoesNotStay(t *testing.T) {
	dir := t.TempDir()
	ofCase := []string{CaseFile, CaseTraceFile, CasePageFile, StoryFile}
	for _, name := range append(ofCase, "notes.txt") {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("of an earlier run"), 0o644))
	}
	run := func(o plan.Options) cell.Result {
		return cell.Result{Seed: o.Seed, Hash: "0a", Breach: &cell.Breach{Text: "early"}}
	}
	_, err := WriteArtifacts(dir, someBuild, run, plan.Options{Seed: 9})
	require.NoError(t, err)
	for _, name := range ofCase[:3] {
		require.NoFileExists(t, filepath.Join(dir, name))
	}
	story, err := os.ReadFile(filepath.Join(dir, StoryFile))
	require.NoError(t, err)
	require.NotContains(t, string(story), "of an earlier run")
	_, err = WriteArtifacts(dir, someBuild, func(o plan.Options) cell.Result { return cell.Result{Seed: o.Seed, Hash: "0a"} }, plan.Options{Seed: 9})
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(dir, StoryFile), "nothing broke")
	require.FileExists(t, filepath.Join(dir, "notes.txt"), "a file of the user")
}

func TestTheManifestComesLast(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ManifestFile), []byte("of an earlier run"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(dir, TraceFile), 0o755)) // in the way
	_, err := WriteArtifacts(dir, someBuild, breaks, plan.Options{Seed: 9})
	require.Error(t, err)
	_, _, err = ReadManifest(dir, nil)
	require.ErrorIs(t, err, ErrManifest)
	require.ErrorContains(t, err, "no such file")
}

// A JSON file of another kind is not taken for a manifest of an old version.
func TestWhatIsNoManifestIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"schema":"chubby-sim-1","runs":[]}`: "it is no manifest and no case of a failing seed",
		`{"format":99}`:                       "it has format 99, this program reads 1; use the chubby that wrote it",
	} {
		file := filepath.Join(t.TempDir(), "report.json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, _, err := ReadManifest(file, nil)
		require.ErrorIs(t, err, ErrManifest)
		require.ErrorContains(t, err, want)
	}
}

func TestSettingsKeepTheSwarmAndNoFaultsApart(t *testing.T) {
	for _, o := range []plan.Options{{Seed: 1}, {Seed: 1, Faults: []string{}}, {Seed: 1, Faults: []string{"crash"}, Workload: "lists", Clients: 2}} {
		text, err := json.Marshal(SettingsOf(o))
		require.NoError(t, err)
		require.NotContains(t, string(text), "null", "what is drawn is said to be")
		var s Settings
		require.NoError(t, json.Unmarshal(text, &s))
		back, err := s.Options(nil)
		require.NoError(t, err)
		require.Equal(t, o, back)
	}
}

// Earlier manifests say null for the swarm.
func TestSettingsOfEarlierManifestsAreRead(t *testing.T) {
	var s Settings
	require.NoError(t, json.Unmarshal([]byte(`{"seed":1,"faults":null}`), &s))
	o, err := s.Options(nil)
	require.NoError(t, err)
	require.Equal(t, plan.Options{Seed: 1}, o)
}

func TestAPlanThatIsDrawnOtherwiseIsNoticed(t *testing.T) {
	o := plan.Options{Seed: 4}
	m := NewManifest(someBuild, o)
	var err error
	m.Plan, err = json.MarshalIndent(plan.New(o), "", "\t")
	require.NoError(t, err)
	require.True(t, m.SamePlan(o))
	o.Seed = 5
	require.False(t, m.SamePlan(o))
}

func TestOtherBuildsAreNamed(t *testing.T) {
	m := NewManifest(someBuild, plan.Options{})
	now := someBuild
	now.GOARCH = "386" // one seed is one history on every target
	require.Empty(t, m.Differences(now))
	now.Commit, now.Go = "badcafe", "go1.99"
	require.Equal(t, []string{"commit c0ffee (this is badcafe)", "Go go1.26.8 (this is go1.99)"}, m.Differences(now))
	m.Build.Commit, m.Build.Program = UnknownCommit, "01"
	now = someBuild
	require.Equal(t, []string{"program 01 (this is c0ffee)"}, m.Differences(now))
	now.Program = "01"
	require.Empty(t, m.Differences(now))
	m.TraceFormat = 0
	require.Contains(t, m.Differences(someBuild), "trace format 0 (this is 1)")
}
