// Package worldtest is test support: the world in which one checker is tested.
//
// Each test of a checker shows that one check can fail, and that the nearest good history
// passes.
//
// Reading order: world.go.
package worldtest
