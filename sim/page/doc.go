// Package page is test support: one HTML file that shows a run of a cell, for any browser,
// without a network.
//
// A Recorder listens to the run. Its page has a lane for each replica and client along true
// time, and on request along each machine's own clock; messages, faults, who leads and serves,
// leases, sessions and locks; and where something broke, what that may have come from.
// Equal runs give equal bytes. A page is at most Limit bytes: where the run has more, what is
// near the break, rare, or told by the story stays, and the page says what is left out.
//
// Reading order:
//
//	page.go      Recorder, WritePage; scene.go: WriteScene, for runs of other machines
//	entry.go     what can be clicked; fit.go: which of it stays
//	record.go    what replicas and clients believe, as it changes; bar.go: as bars
//	fault.go     faults and what they did, as bands
//	clock.go     a machine's clock against true time
//	encode.go    the page's data; script/ and page.html: how a browser draws it
package page
