package bench

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// progress is how far the log of a master is.
type progress struct {
	from         string // the page or the replica that says so
	slots, syncs float64
	keepAlives   float64 // that were answered
}

// masterWait is how long the replicas may have no master: a cell has just been started, or lost the one it had.
const masterWait = 2 * time.Second

// masterOf asks the pages of the replicas for the metrics of the master. It fails if none of
// the pages becomes that of a master in time.
func masterOf(ctx context.Context, pages []string) (progress, error) {
	ctx, cancel := context.WithTimeout(ctx, masterWait)
	defer cancel()
	for asked := false; ; asked = true {
		for _, page := range pages {
			m, err := readMetrics(ctx, page)
			if err != nil && (ctx.Err() == nil || !asked) { // else time is up, and all have answered before
				return progress{}, fmt.Errorf("--metrics %s: %w", page, err)
			}
			if m["chubby_serving"] == 1 {
				return progress{from: page, slots: m["chubby_applied_slot"], syncs: m["chubby_wal_syncs_total"], keepAlives: m["chubby_keepalives_total"]}, nil
			}
		}
		select {
		case <-ctx.Done():
			return progress{}, fmt.Errorf("--metrics %s: none of these replicas is the master: give the pages of all", strings.Join(pages, ","))
		case <-time.After(masterWait / 40):
		}
	}
}

// readMetrics reads the metrics of one page that have no labels.
func readMetrics(ctx context.Context, page string) (map[string]float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+page+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer is %s", resp.Status)
	}
	all := map[string]float64{}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			all[name] = v
		}
	}
	return all, lines.Err()
}
