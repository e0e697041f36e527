package client

import (
	"errors"
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// fault returns what is wrong with the arguments of a call that was refused unsent (api.Op.Check),
// or nil if the code of the refusal says it all.
func fault(op api.Op) error {
	switch o := op.(type) {
	case api.Get:
		return rowFault(o.Key)
	case api.Put:
		return rowFault(o.Key, o.Value)
	case api.Delete:
		return rowFault(o.Key)
	case api.CompareAndSet:
		return rowFault(o.Key, o.Expect, o.Value)
	case api.List:
		return lengthFault("a prefix", o.Prefix, api.MaxKey)
	case api.Open:
		return openFault(o)
	case api.SetContents:
		return lengthFault("contents", o.Contents, api.MaxContents)
	case api.SetACL:
		return aclFault(o.Names)
	case api.Acquire:
		if !o.Mode.Valid() {
			return fmt.Errorf("lock mode %d: give Exclusive or Shared", o.Mode)
		}
	}
	return nil
}

func rowFault(key string, values ...string) error {
	if key == "" {
		return errors.New("the key is empty")
	}
	if err := lengthFault("a key", key, api.MaxKey); err != nil {
		return err
	}
	for _, v := range values {
		if err := lengthFault("a value", v, api.MaxValue); err != nil {
			return err
		}
	}
	return nil
}

func lengthFault(what, text string, most int) error {
	if len(text) <= most {
		return nil
	}
	return fmt.Errorf("%s of %d bytes, and at most %d are allowed", what, len(text), most)
}

func openFault(o api.Open) error {
	if _, err := (api.Path{}).Join(o.Path); err != nil && o.Path != "" {
		return err
	}
	switch {
	case !o.Create.Valid():
		return fmt.Errorf("option Create is %d: give CreateNever, CreateMay or CreateMust", o.Create)
	case !o.Rights.Valid():
		return fmt.Errorf("option Rights is %#x: give Read, Write and ChangeACL, joined by |", uint64(o.Rights))
	case !o.Events.Valid():
		return fmt.Errorf("option Events is %#x: give WantContents and its like, joined by |", uint64(o.Events))
	case o.Kind == api.Directory && o.Contents != "":
		return errors.New("a directory is created with contents, and has none")
	}
	if err := lengthFault("contents", o.Contents, api.MaxContents); err != nil {
		return err
	}
	return aclFault(o.Names.Or(api.ACLNames{Read: "x", Write: "x", Change: "x"}))
}

func aclFault(n api.ACLNames) error {
	for _, x := range []struct {
		field string
		name  api.ACLName
	}{{"Read", n.Read}, {"Write", n.Write}, {"Change", n.Change}} {
		if api.CheckComponent(string(x.name)) != api.OK {
			return fmt.Errorf("ACLNames.%s is %q, no name of an access control list: give that of a file in %s", x.field, x.name, api.ACLDirectory())
		}
	}
	return nil
}

// check returns the fault of an option that the Client itself, not the cell, checks.
func (o OpenOptions) check() error {
	most := api.MaxLockDelay.Duration()
	switch {
	case o.LockDelay < 0 || o.LockDelay > most:
		return fmt.Errorf("option LockDelay is %v: give 0 to %v", o.LockDelay, most)
	case o.KeepLock < 0:
		return fmt.Errorf("option KeepLock is %v: give 0 or more", o.KeepLock)
	}
	return nil
}

// withReason adds the reason to err if err is a call's error with this sentinel.
func withReason(err, sentinel, reason error) error {
	var e *Error
	if reason != nil && errors.Is(err, sentinel) && errors.As(err, &e) {
		e.Causes = append(e.Causes, reason)
	}
	return err
}

// refusalReason explains the cell's refusal of op in more detail than its code; nil: there is no
// more to say.
func refusalReason(op api.Op, code api.Code) error {
	switch code {
	case api.NoRight:
		return fmt.Errorf("the handle was opened without the right %s (OpenOptions.Rights)", rightOf(op))
	case api.Crowded:
		switch op.(type) {
		case api.Open:
			return errors.New("the session has as many open handles as it may, 4,096, or the cell, 1,048,576: close those that are not used")
		case api.Acquire:
			return errors.New("as many Acquires as may wait for this lock, 16,384, or for all locks of the cell, 131,072")
		}
	case api.Permission:
		if o, opens := op.(api.Open); opens && o.Create != api.CreateNever {
			return fmt.Errorf("the ACLs of the node do not name this principal for %v, or those of its directory for write if there is no node yet", o.Rights)
		} else if opens {
			return fmt.Errorf("the ACLs of the node do not name this principal for %v", o.Rights)
		}
		return errors.New("the ACLs of the node do not name this principal for it")
	}
	return nil
}

// rightOf returns the constant name of the right that an op needs.
func rightOf(op api.Op) string {
	switch op.(type) {
	case api.SetContents, api.DeleteNode, api.Acquire:
		return "Write"
	case api.SetACL:
		return "ChangeACL"
	}
	return "Read"
}
