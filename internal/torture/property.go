package torture

// Property is one thing that a run checks; docs/torture.md says how.
type Property struct {
	ID   string // as a Violation names it
	Help string
}

// Properties are all that a run checks, in the order of docs/torture.md.
func Properties() []Property {
	return []Property{
		{"S4", "calls on rows and on files are linearizable"},
		{"S3", "a write that was acknowledged is in the log"},
		{"S1", "replicas apply the same calls, each once, with the same results and rows"},
		{"S7", "no master answers a read without the log once a later master serves"},
		{"S8", "holders of a lock exclude each other, and lock-delays are kept"},
		{"S9", "no two clients answer at one instant that they hold a lock"},
		{"S10", "a resource that compares sequencers loses no update"},
		{"S13", "a watcher that reads after each event finds the change that the event announced"},
		{"S17", "no replica ends by itself, or refuses its files"},
		{"stop", "a replica ends within 10 s of SIGTERM"},
		{"history", "the observations of the clients are a possible history"},
		{"log", "the replicas' records of what they applied can be read"},
	}
}
