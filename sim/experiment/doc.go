// Package experiment is test support: questions to the simulator that no single
// seed answers, such as how likely it is that two replicas hold read authority
// at once when clocks err more than was promised.
//
// An experiment is a grid: series, such as two ways to choose faults, by the
// values of one parameter. In each place of the grid the same seeds run, so two
// places differ by what the grid says and by nothing else: seed 7 here and seed 7
// there draw the same cell as far as the parameter leaves it alone. What is
// measured is the share of seeds in which an event happened, with its 95 %
// confidence interval by Wilson's score. Seeds are independent of each other; events
// of one seed are not, so the interval of a rate of events comes from resampling seeds.
//
// A Comparison is the other form: two sides, the same seeds on both, and for each number of
// interest the difference with its interval, from a test that is exact with few seeds too. It takes samples of any kind; Measure makes
// those of the cell.
//
// Reading order: experiment, catalogue (with drift, fencing), tally, sample, bootstrap, pool;
// compare, swap, measure; then write, waits, plot, panel, and forest with compare_write.
//
// Nothing here runs a seed or decides anything within one; floating point numbers
// are of reports only.
package experiment
