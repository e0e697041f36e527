package sim

// links is the links that begin at a machine. A link is made when it is first used.
type links struct {
	from                *Machine
	toReplica, toClient []*Link
}

// to returns the link to another machine, or nil if there is no such machine.
func (ls *links) to(to Addr) *Link {
	list, i := &ls.toReplica, int(to)-1
	if to.IsClient() {
		list, i = &ls.toClient, int(to-FirstClient)
	}
	if i >= 0 && i < len(*list) && (*list)[i] != nil {
		return (*list)[i]
	}
	peer := ls.from.w.Machine(to)
	if peer == nil {
		return nil
	}
	for len(*list) <= i {
		*list = append(*list, nil)
	}
	(*list)[i] = newLink(ls.from.w, ls.from, peer)
	return (*list)[i]
}

// each calls f for every link that was ever used, in the order of addresses.
func (ls *links) each(f func(*Link)) {
	for _, list := range [][]*Link{ls.toReplica, ls.toClient} {
		for _, l := range list {
			if l != nil {
				f(l)
			}
		}
	}
}
