package model

import (
	"fmt"
	"strings"
	"time"
)

// lockOps are the operations' names, in files and reports.
var lockOps = Words[LockOp]{
	LockAcquire: "acquire", LockTry: "try", LockRelease: "release", LockClose: "close", LockFail: "fail",
	LockDelayOver: "over", LockGetSequencer: "sequencer", LockCheckSequencer: "check", LockForget: "forget",
}

var lockCodes = Words[LockCode]{
	LockOK: "ok", LockHeld: "held", LockDelayed: "delayed", LockOther: "other mode", LockNotHeld: "not held",
	LockStale: "stale", LockGone: "gone",
}

// describeLockInput shows a call: "try /a#3 by c1/7 exclusive".
func describeLockInput(in LockInput) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", lockOps.Of(in.Op), in.name())
	if in.Handle != "" {
		fmt.Fprintf(&b, " by %s", in.Handle)
	}
	switch in.Op {
	case LockAcquire, LockTry:
		fmt.Fprintf(&b, " %s", LockMode(in.Shared))
		if in.Delay != 0 {
			fmt.Fprintf(&b, " delay %v", time.Duration(in.Delay))
		}
	case LockCheckSequencer:
		fmt.Fprintf(&b, " %s generation %d", LockMode(in.Shared), in.Gen)
	case LockFail, LockDelayOver:
		fmt.Fprintf(&b, " delay %d", in.Began)
	}
	if in.Acquisition != 0 {
		fmt.Fprintf(&b, " acquisition %d", in.Acquisition)
	}
	return b.String()
}

func describeLockOutput(in LockInput, out LockOutput) string {
	text := lockCodes.Of(out.Code)
	if out.Code != LockOK {
		return text
	}
	switch in.Op {
	case LockAcquire, LockTry, LockGetSequencer:
		if in.Op == LockGetSequencer {
			text = LockMode(out.Shared)
		}
		if out.Gen != 0 {
			text += fmt.Sprintf(" generation %d", out.Gen)
		}
		if out.Acquisition != 0 && in.Op != LockGetSequencer {
			text += fmt.Sprintf(" acquisition %d", out.Acquisition)
		}
	case LockFail:
		if out.Delay >= 0 {
			text += fmt.Sprintf(" delay %v", time.Duration(out.Delay))
		}
	}
	return text
}
