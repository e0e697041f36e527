package client

// Token returns the token by which the cell recognises the Handle's calls. Handles that share one
// handle at the cell have the same token. It is opaque, and for diagnosis only. Keep it secret: it
// gives the session the rights of the Handle.
func (h *Handle) Token() string {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	return string(h.token)
}
