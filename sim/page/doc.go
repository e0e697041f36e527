// Package page is test support: it writes one HTML file that shows a run of a cell in any browser, without a network.
//
// A Recorder listens to the run. Its page has a lane for each replica and client along true time, or along each
// machine's own clock. It shows messages, faults, leaders and masters, leases, sessions and locks. If a property broke,
// it also shows the past of the break: the moments that the break may have come from. Equal runs give equal bytes. A
// page is at most Limit bytes. If the run has more events, the page keeps those that are near the break, rare, or told
// by the story, and says what is left out.
//
// Reading order:
//
//	page.go      Recorder, WritePage
//	scene.go     WriteScene, for runs of other machines
//	world.go     WriteWorld, for worlds without a cell
//	entry.go     what can be clicked
//	fit.go       which entries a page keeps
//	record.go    changes of what replicas and clients believe
//	bar.go       these beliefs as bars
//	fault.go     faults and their effects as bands
//	clock.go     a machine's clock against true time
//	encode.go    the page's data; script/ and page.html: how a browser draws it
package page
