package cellcmd

// The kinds of documents that these commands print with -o json, each with its version:
// docs/schema has a file for each, and says when a version grows.
const (
	tortureSchema = "chubby-torture-1"
	benchSchema   = "chubby-bench-1"
	configSchema  = "chubby-config-1" // serve --check-config
	devSchema     = "chubby-dev-1"
)
