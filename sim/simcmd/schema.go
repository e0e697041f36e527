package simcmd

// The kinds of documents that these commands print with -o json, each with its version. docs/schema has a file for each
// kind, and says when a version is increased.
const (
	simSchema        = "chubby-sim-1" // also of merge
	verifySchema     = "chubby-verify-1"
	listSchema       = "chubby-list-1"
	replaySchema     = "chubby-replay-1"
	compareSchema    = "chubby-compare-1"
	experimentSchema = "chubby-experiment-1"
	sessionsSchema   = "chubby-sessions-1"
	cachingSchema    = "chubby-caching-1"
)
