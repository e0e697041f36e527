package api

import (
	"encoding/binary"
	"fmt"
)

func appendNodeOp(dst []byte, op Op) []byte {
	on := func(tag byte, handle Token) []byte { return appendString(append(dst, tag), string(handle)) }
	switch o := op.(type) {
	case Open:
		return appendOpen(append(dst, tagOpen), o)
	case CloseHandle:
		return on(tagCloseHandle, o.Handle)
	case Poison:
		return on(tagPoison, o.Handle)
	case GetContents:
		return on(tagGetContents, o.Handle)
	case GetStat:
		return on(tagGetStat, o.Handle)
	case ReadDir:
		return binary.AppendUvarint(appendString(on(tagReadDir, o.Handle), o.After), o.Most)
	case SetContents:
		return binary.AppendUvarint(appendString(on(tagSetContents, o.Handle), o.Contents), uint64(o.When))
	case SetACL:
		return binary.AppendUvarint(AppendACLNames(on(tagSetACL, o.Handle), o.Names), uint64(o.When))
	case DeleteNode:
		return on(tagDeleteNode, o.Handle)
	case Acquire:
		return appendFlag(append(on(tagAcquire, o.Handle), byte(o.Mode)), o.Wait)
	case Release:
		return binary.AppendUvarint(on(tagRelease, o.Handle), uint64(o.Acquisition))
	case CancelAcquire:
		return binary.AppendUvarint(on(tagCancelAcquire, o.Handle), uint64(o.Call))
	case GetSequencer:
		return on(tagGetSequencer, o.Handle)
	case SetSequencer:
		return appendString(on(tagSetSequencer, o.Handle), o.Sequencer)
	case CheckSequencer:
		return appendString(on(tagCheckSequencer, o.Handle), o.Sequencer)
	}
	panic(fmt.Sprintf("api: AppendOp of %T", op))
}

func (c *cursor) nodeOp(tag byte) Op {
	switch tag {
	case tagOpen:
		return c.openOp()
	case tagCloseHandle:
		return CloseHandle{Handle: c.token()}
	case tagPoison:
		return Poison{Handle: c.token()}
	case tagGetContents:
		return GetContents{Handle: c.token()}
	case tagGetStat:
		return GetStat{Handle: c.token()}
	case tagReadDir:
		return ReadDir{Handle: c.token(), After: c.string(), Most: c.uint()}
	case tagSetContents:
		return SetContents{Handle: c.token(), Contents: c.string(), When: ContentGen(c.uint())}
	case tagSetACL:
		return SetACL{Handle: c.token(), Names: c.aclNames(), When: ACLGen(c.uint())}
	case tagDeleteNode:
		return DeleteNode{Handle: c.token()}
	case tagAcquire:
		return Acquire{Handle: c.token(), Mode: Mode(c.byte()), Wait: c.flag()}
	case tagRelease:
		return Release{Handle: c.token(), Acquisition: Acquisition(c.uint())}
	case tagCancelAcquire:
		return CancelAcquire{Handle: c.token(), Call: Seq(c.uint())}
	case tagGetSequencer:
		return GetSequencer{Handle: c.token()}
	case tagSetSequencer:
		return SetSequencer{Handle: c.token(), Sequencer: c.string()}
	case tagCheckSequencer:
		return CheckSequencer{Handle: c.token(), Sequencer: c.string()}
	}
	c.fail("op %d", tag)
	return nil
}

func appendOpen(dst []byte, o Open) []byte {
	dst = appendString(appendString(dst, string(o.Dir)), o.Path)
	dst = appendFlag(append(dst, byte(o.Rights), byte(o.Create), byte(o.Kind)), o.Ephemeral)
	dst = AppendACLNames(appendString(dst, o.Contents), o.Names)
	return append(binary.AppendUvarint(dst, uint64(o.Delay)), byte(o.Events))
}

func (c *cursor) openOp() Op {
	o := Open{Dir: c.token(), Path: c.string(), Rights: Rights(c.byte()), Create: Creation(c.byte()), Kind: NodeKind(c.byte()),
		Ephemeral: c.flag(), Contents: c.string(), Names: c.aclNames()}
	delay := c.uint()
	if delay > 1<<32-1 {
		c.fail("a lock-delay of %d ms", delay)
	}
	o.Delay, o.Events = LockDelay(delay), EventMask(c.byte())
	return o
}

func (c *cursor) token() Token { return Token(c.string()) }
