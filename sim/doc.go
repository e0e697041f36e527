// Package sim is test support: a simulated world, single-threaded by
// construction, in which one seed is one history.
package sim
