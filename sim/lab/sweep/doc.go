// Package sweep is test support: how likely harm is, over one parameter, for several lock systems.
//
// A break of the lab shows that a failure can happen, and the matrix how often under faults of all
// lengths. A sweep turns one knob: how long the pause of a holder is (Pause), or how much of its lease a
// client demands to be left before it writes (MinValidity). Each place of the grid runs the same
// seeds, and a seed draws the same jobs and the same fault in all of them, in parts of the system's
// lease. Counting, intervals and pictures are those of package sim/experiment.
//
// Reading order: sweep.go (Sweep, and what both have in common), pause.go, validity.go.
package sweep
