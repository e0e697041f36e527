// Package lessons is test support: what programs do wrong with locks, and what they should do, each
// as a few lines of source that run in the lab.
//
// # What a student does here
//
// A Lesson has one script of faults and several programs. The first program is wrong: it does what
// many programs do. The last one is right. All run with the same seed and the same faults:
//
//	chubby lab lesson                      names of lessons
//	chubby lab lesson release-race         one of them
//
// Read the wrong program in the file that the lesson names, say what the faults of the script do
// to it, and run it. Then read the right one. The programs are written to be copied: they use
// package lab as a program of yours would use the library of its lock service.
//
//	a.Lock, a.TryLock, h.Valid, h.Release   the library of the lock service
//	a.Read, a.Write                         the resource: a counter, of which a program writes Next
//	a.Call, a.Sleep, a.Draw                 other machines, the clock, chance
//
// # What holds
//
// A lesson holds if every wrong program does harm and no right one does. Harm is what package lab
// counts in true time, or what the other machines of the lesson have in their books: an order that was
// paid twice, a sum that is wrong.
//
// # Reading order
//
//	lesson.go    Lesson, Program, Play; harm.go: what is counted; tell.go: a lesson on a page
//	others.go    the other machines: a bank, accounts, a store of pages
//	systems.go   the lock systems that lessons use
//
// Then a file for each lesson, with its programs first.
package lessons
