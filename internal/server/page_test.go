package server_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/server"
)

// Names that would be more than text, if a page took them as they are.
const (
	hostileNode      = `<img src=x onerror=document.title='owned'>`
	hostilePrincipal = `<script>document.title='owned'</script>`
)

// busy makes a cell in which a client with a hostile name holds a lock for which another waits. It
// returns when the page of the master shows that.
func busy(ctx context.Context, t *testing.T) (c *cell, master *server.Server) {
	c = newCell(t, 3)
	dial := func(name string) *client.Client {
		cl, err := client.Dial(ctx, c.target(), client.WithPrincipal(name))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, cl.Close(context.Background())) })
		return cl
	}
	open := func(cl *client.Client) *client.Handle {
		f, err := cl.Open(ctx, "/ls/local/"+hostileNode, client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
		require.NoError(t, err)
		return f
	}
	holder, other := dial(hostilePrincipal), dial("bob")
	_, err := open(holder).Acquire(ctx, client.Exclusive)
	require.NoError(t, err)
	waiting := open(other)
	waits, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = waiting.Acquire(waits, client.Exclusive)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	shows := regexp.MustCompile(`(?s)id="locks".*<td>exclusive</td><td>\d+</td><td>[^<]+</td><td>1</td>`)
	require.Eventually(t, func() bool {
		for _, s := range c.servers {
			if s.Status().Serving {
				_, text := page(t, s, "/")
				master = s
				return shows.MatchString(text)
			}
		}
		return false
	}, 30*time.Second, 50*time.Millisecond)
	return c, master
}

func TestThePageShowsACellAndEscapesItsNames(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, master := busy(ctx, t)
	r, err := http.Get("http://" + master.HTTPAddr().String() + "/")
	require.NoError(t, err)
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	http.DefaultClient.CloseIdleConnections()
	text := string(body)
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.Equal(t, "text/html; charset=utf-8", r.Header.Get("Content-Type"))
	require.Contains(t, r.Header.Get("Content-Security-Policy"), "default-src 'none'")
	require.NotContains(t, text, hostileNode)
	require.NotContains(t, text, hostilePrincipal)
	require.Contains(t, html.UnescapeString(text), "<td>/"+hostileNode+"</td>")
	require.Contains(t, html.UnescapeString(text), "<td>"+hostilePrincipal+"</td>")
	require.NotRegexp(t, `<script|<link[^>]*href="http|url\(|src=`, strings.ReplaceAll(text, html.EscapeString(hostileNode), ""))
	require.Contains(t, text, "No warnings.")
	require.Contains(t, text, ": master, serving</h1>")
	require.Contains(t, text, "2 sessions are alive.")
	require.Contains(t, text, "1 lock is held.")
	require.NotContains(t, text, `id="elsewhere"`)
	require.Contains(t, text, "<th>grant to the leader</th>")
	require.Regexp(t, `<td>bob</td><td>\d+(\.\d)?s</td><td>valid</td><td>1</td><td>0</td>`, text)
	for _, cfg := range c.cfgs {
		require.Contains(t, text, "<td>"+cfg.Members[cfg.ID]+"</td>")
	}
	code, _ := page(t, master, "/elsewhere")
	require.Equal(t, http.StatusNotFound, code)
}

// A replica that is no master says which one knows the leases, and has no empty columns for them.
func TestThePageOfAFollowerNamesTheMaster(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, master := busy(ctx, t)
	follower := c.servers[1]
	if follower == master {
		follower = c.servers[2]
	}
	require.Eventually(t, func() bool {
		_, text := page(t, follower, "/")
		return strings.Contains(text, fmt.Sprintf("see the page of replica %d, which is on 127.0.0.1.", master.Status().ID)) &&
			strings.Contains(text, "2 sessions are alive.")
	}, 30*time.Second, 50*time.Millisecond)
	_, text := page(t, follower, "/")
	for _, column := range []string{"lease left", "waiting", "grant to the leader"} {
		require.NotContains(t, text, "<th>"+column+"</th>")
	}
	require.Regexp(t, `<tr><td>\d+</td><td>bob</td><td>0</td></tr>`, text)
}

func TestThePageWarnsOfAMemberThatIsDown(t *testing.T) {
	c := newCell(t, 3)
	c.stop(3)
	require.Eventually(t, func() bool {
		_, text := page(t, c.servers[1], "/")
		return regexp.MustCompile(`<li>[^<]*replica 3 at [^<]*refused\.</li>`).MatchString(strings.ReplaceAll(text, "Replica 3", "replica 3"))
	}, 30*time.Second, 50*time.Millisecond)
}
