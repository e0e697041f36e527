package history

import "fmt"

// Names are names of clients for reports. A nil Names has none.
type Names map[int64]string

// Of returns how reports name a client: by its name, or as "client 3".
func (n Names) Of(client int64) string {
	if name := n[client]; name != "" {
		return name
	}
	return fmt.Sprintf("client %d", client)
}

// Has reports whether a client has a name.
func (n Names) Has(client int64) bool { return n[client] != "" }

// who returns the name of a client with its number.
func (n Names) who(client int64) string {
	if n.Has(client) {
		return fmt.Sprintf("%s (client %d)", n[client], client)
	}
	return n.Of(client)
}
