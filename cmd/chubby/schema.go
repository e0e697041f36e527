package main

// The kinds of documents that these commands print with -o json, each with its version:
// docs/schema has a file for each, and says when a version grows.
const (
	checkSchema    = "chubby-check-1"
	huntSchema     = "chubby-hunt-1"     // sim mutants
	campaignSchema = "chubby-campaign-1" // sim mutants --report
	mutantsSchema  = "chubby-mutants-1"  // sim mutants --list
	versionSchema  = "chubby-version-1"
	restoreSchema  = "chubby-restore-1"  // backup restore
	backupSchema   = "chubby-backup-1"   // backup check
	snapshotSchema = "chubby-snapshot-1" // snapshot dump
	walSchema      = "chubby-wal-1"      // wal dump, each line
	tourSchema     = "chubby-tour-1"
	sceneSchema    = "chubby-scene-1" // tour NAME
	labSchema      = "chubby-lab-1"
	runSchema      = "chubby-lab-run-1"
	lessonsSchema  = "chubby-lab-lessons-1"
	lessonSchema   = "chubby-lab-lesson-1" // lab lesson NAME
	matrixSchema   = "chubby-lab-matrix-1"
	loadSchema     = "chubby-lab-load-1"
	crowdSchema    = "chubby-lab-crowd-1"
	outageSchema   = "chubby-lab-outage-1"
	sweepSchema    = "chubby-lab-sweep-1"
)
