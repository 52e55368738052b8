package realetcd_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/conformance/realetcd"
)

// TestConform: realetcd conform finds in released etcd what is known of it, and nothing else.
func TestConform(t *testing.T) {
	name := program(t)
	for _, x := range []struct {
		release string
		code    int
		says    []string
	}{
		{"3.5.7", 1, []string{"bookmarkable        violated ", "compaction          violated "}},
		{"3.5.12", 1, []string{"progress-quiet      violated ", "compaction          violated "}},
		{"3.5.35", 0, []string{"range-stream        not offered", "progress-periodic   holds "}},
		{"3.6.16", 0, []string{"compaction          holds "}},
		{"3.7.3", 0, []string{"range-stream        holds "}},
	} {
		t.Run(x.release, func(t *testing.T) {
			server := realetcd.StartForTest(t, x.release, periodic(x.release))
			c := exec.Command(name, "conform", server.Endpoint, "--compact", "--keep", t.TempDir())
			out, _ := c.CombinedOutput()
			assert.Equal(t, x.code, c.ProcessState.ExitCode(), string(out))
			for _, line := range x.says {
				assert.Contains(t, string(out), line)
			}
		})
	}
}

// periodic is the flag for a progress notification every two seconds.
func periodic(release string) string {
	if release < "3.6" {
		return "--experimental-watch-progress-notify-interval=2s"
	}
	return "--watch-progress-notify-interval=2s"
}
