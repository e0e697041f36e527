// Package exercise is test support: what the exercises of the course have in common. Begin with
// docs/course/README.md, which names for each exercise the file to change; nothing here is to be
// changed.
//
// Seeds runs one world by many seeds. Synod is single-decree Paxos but for its two Rules, which
// an exercise has; OneValue is the test of these, and Schedules its second part.
package exercise
