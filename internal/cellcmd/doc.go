// Package cellcmd is concurrent: the commands that run a cell, and those that call one.
//
// Reading order:
//
//	app.go        the commands, and how they find and call a cell
//	failure.go    exit codes of what a cell answers
//	stat.go       metadata of nodes as it is printed
//	read.go       ls, cat, stat; write.go: put, mkdir; rm.go; acl.go; aclguard.go: rights that a
//	              mistake would take away
//	lock.go       lock: a command that lives no longer than its lock (internal/watchdog); guard.go:
//	              when it must end
//	watch.go      watch; sequencer.go; status.go
//	operator.go   the replicas asked without a session: members.go, session.go, locks.go,
//	              limits.go
//	complete.go   paths that a shell completes
//	dev.go        a cell in one process; devmark.go: its directory; cellfile.go: how the
//	              others find it
//	serve.go      one replica; reload.go: its secrets at SIGHUP; profile.go: where a process that runs replicas spends its time
//	bench.go      how fast a cell answers; torture.go: whether it keeps its promises while
//	              processes, disks and connections fail; rig.go: how disks of replicas fail
package cellcmd
