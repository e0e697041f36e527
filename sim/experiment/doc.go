// Package experiment is test support: questions that no single seed of the simulator answers, such
// as how likely it is that two replicas hold read authority at once if clocks err by more than the
// configured bound.
//
// An experiment is a grid: series, such as two ways to choose faults, by the values of one
// parameter. The same seeds run in each place of the grid, so two places differ only by what the
// grid says: seed 7 draws the same cell in both places, except for the parameter. An experiment
// measures the share of seeds in which an event happened, with its 95 % confidence interval by
// Wilson's score. Seeds are independent of each other. Events of one seed are not, so the interval
// of a rate of events comes from resampling seeds.
//
// A Comparison has two sides, and runs the same seeds on both. For each number of interest it gives
// the difference and its interval, from a test that is exact also with few seeds. It takes samples
// of any kind; Measure makes samples of the cell.
//
// Three ways lead here. The commands of package simcmd run cells: a Comparison of settings, commits
// or programs, and the Experiments of Catalogue or of one's own. simtest.Compare and simtest.Sweep run
// a world of one's own from go test, and write the same tables and pictures. Runs from elsewhere go
// into a Comparison by Add, or into a Tally by Count (package sim/lab/sweep does so).
//
// Reading order: experiment, catalogue (with drift, fencing), tally, sample, bootstrap, pool;
// compare, swap, measure; then write, waits, plot, panel, and forest with compare_write.
//
// Except for Measure, nothing here runs a seed. Nothing here decides anything within a run, so
// floating-point numbers occur only in reports.
package experiment
