package client

// Token returns what the Client shows to the cell when it makes a call by the Handle. Handles that share
// what is open at the cell have the same one. It is for diagnosis, and opaque; it is a secret, since it
// gives the rights of the Handle to the session.
func (h *Handle) Token() string {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	return string(h.token)
}
