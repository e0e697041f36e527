package main

// The kinds of documents that these commands print with -o json, each with its version:
// docs/schema has a file for each, and says when a version grows.
const (
	checkSchema    = "chubby-check-1"
	huntSchema     = "chubby-hunt-1"     // sim mutants
	campaignSchema = "chubby-campaign-1" // sim mutants --report
	versionSchema  = "chubby-version-1"
)
