package cellcmd

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/chubbycell/chubby/internal/server"
)

// hangups are SIGHUPs, which do not end the process from here on.
type hangups struct{ signals, done chan os.Signal }

func awaitHangups() hangups {
	h := hangups{make(chan os.Signal, 1), make(chan os.Signal)}
	signal.Notify(h.signals, syscall.SIGHUP)
	return h
}

// reload has a server read its certificates and tokens again at each of them, until stop.
func (h hangups) reload(s *server.Server) {
	for {
		select {
		case <-h.signals:
			_ = s.Reload() // it is logged
		case <-h.done:
			return
		}
	}
}

func (h hangups) stop() {
	signal.Stop(h.signals)
	close(h.done)
}
