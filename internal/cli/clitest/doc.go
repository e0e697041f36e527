// Package clitest is test support: how tests run programs by their command lines, and what
// they read in the documents of the project.
//
// Reading order: scripts.go, documents.go.
package clitest
