package model

// Register is the model of one value with read, write and compare-and-set, empty at the start.
// It is the key/value model restricted to one key, with the names that papers and other tools
// use: Read is a Get, Write a Put. A history may name several registers by key; each is checked
// by itself.
func Register() *Model[KVState, KVInput, KVOutput] {
	m := KV()
	m.Name = "register"
	m.Partition = func(in KVInput) string { return in.Key }
	m.Narrow = nil
	m.DescribeInput = describeRegisterInput
	m.DescribeState = func(s KVState) string {
		if rows := s.pairs(); len(rows) > 0 {
			return describeValue(rows[0].Value, true)
		}
		return describeValue("", false)
	}
	m.Codec = codecOf(Words[KVOp]{OpGet: "read", OpPut: "write", OpCAS: "cas"}, false)
	return m
}

// CAS is Register under another name. The name makes the readers of foreign histories take a failed compare-and-set for
// the result that the register held another, unknown value.
func CAS() *Model[KVState, KVInput, KVOutput] {
	m := Register()
	m.Name = "cas"
	return m
}

// Read reads the register.
func Read() KVInput { return Get("") }

// Write sets the register.
func Write(value string) KVInput { return Put("", value) }

func describeRegisterInput(in KVInput) string {
	name := ""
	if in.Key != "" {
		name = " " + in.Key
	}
	switch in.Op {
	case OpGet:
		return "read" + name
	case OpPut:
		return "write" + name + " " + describeValue(in.Value, true)
	case OpCAS:
		return "cas" + name + " from " + describeValue(in.Expect, !in.Absent) + " to " + describeValue(in.Value, true)
	}
	return describeKVInput(in)
}
