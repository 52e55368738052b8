package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	jepsenLog = "INFO  jepsen.util - 0\t:invoke\t:write\t3\nINFO  jepsen.util - 0\t:ok\t:write\t3\nINFO  jepsen.util - 0\t:invoke\t:read\tnil\nINFO  jepsen.util - 0\t:ok\t:read\t3\n"
	auditLog  = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/pods","verb":"list","user":{"username":"jane"},"objectRef":{"resource":"pods"},"responseStatus":{"code":200},"requestReceivedTimestamp":"2026-11-23T08:00:00.000010Z","stageTimestamp":"2026-11-23T08:00:00.000020Z"}` + "\n"
	watch     = `{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"5"}}}{"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"a","resourceVersion":"6"}}}`
)

// TestNamesAreSpeltOut: a character that turns the text around it is printed nowhere.
func TestNamesAreSpeltOut(t *testing.T) {
	c := command(t)
	name := filepath.Join(c.dir, "h.jsonl")
	turned := `{"client":"a` + "\u202e" + `b","op":"put","call":1,"return":2,"request":{"key":"k` + "\u2066" + `"},"response":{"revision":2}}
{"client":"r","op":"get","call":3,"return":4,"request":{"key":"k` + "\u2066" + `"},"response":{}}
`
	require.NoError(t, os.WriteFile(name, []byte(turned), 0o600))
	require.Equal(t, exitViolated, c.run("check", "h.jsonl", "--html", "page"))
	require.Contains(t, c.out, `a\u202eb`)
	page, err := os.ReadFile(filepath.Join(c.dir, "page"))
	require.NoError(t, err)
	require.Contains(t, string(page), `<th>a\u202eb</th>`)
	require.Equal(t, exitUsage, c.run("check", "no\u202efile"))
	require.Contains(t, c.err, `no\u202efile`)
	require.NotRegexp(t, "[\u202e\u2066]", c.out+c.err+string(page))
}

// TestCheckIsInterrupted: also while it waits for what comes on standard input.
func TestCheckIsInterrupted(t *testing.T) {
	never, end := io.Pipe()
	// A check that goes on waiting fails the test below.
	defer time.AfterFunc(30*time.Second, func() { end.Close() }).Stop()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, err strings.Builder
	code := run(ctx, []string{"check", "-"}, process{program: "simrun", in: never, out: &out, err: &err})
	require.Equal(t, exitNoVerdict, code)
	require.Equal(t, "simrun: interrupted before all was judged\n", err.String())
	require.Empty(t, out.String())
}

// TestCheckKeepsItsHistories: a page does not take the place of a history that is read.
func TestCheckKeepsItsHistories(t *testing.T) {
	c := command(t)
	name := filepath.Join(c.dir, "audit.log")
	require.NoError(t, os.WriteFile(name, []byte(auditLog), 0o600))
	require.NoError(t, os.Symlink(name, filepath.Join(c.dir, "link")))
	for _, page := range []string{"audit.log", "link"} {
		c.refuses([]string{"--html " + page + " would overwrite the file that the page is about"}, "check", "--html", page, "audit.log")
		kept, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, auditLog, string(kept))
	}
}
