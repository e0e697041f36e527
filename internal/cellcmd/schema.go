package cellcmd

// The kinds of documents that these commands print with -o json, each with its version:
// docs/schema has a file for each, and says when a version grows.
const (
	tortureSchema = "chubby-torture-1"
	benchSchema   = "chubby-bench-1"
	configSchema  = "chubby-config-1" // serve --check-config
	devSchema     = "chubby-dev-1"

	statusSchema       = "chubby-status-1"
	membersSchema      = "chubby-members-1"
	resignSchema       = "chubby-resign-1" // members resign
	limitsSchema       = "chubby-limits-1" // also limits set
	backupNowSchema    = "chubby-backup-now-1"
	sessionListSchema  = "chubby-session-list-1"
	sessionSchema      = "chubby-session-1" // session show
	sessionLocksSchema = "chubby-session-locks-1"
	sessionEndSchema   = "chubby-session-end-1"
	statSchema         = "chubby-stat-1" // also put, mkdir, acl
	lsSchema           = "chubby-ls-1"
	catSchema          = "chubby-cat-1"
	rmSchema           = "chubby-rm-1"
	watchSchema        = "chubby-watch-1" // each line
	sequencerSchema    = "chubby-sequencer-1"
)
