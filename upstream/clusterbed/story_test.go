package clusterbed

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// TestStorySaysWhatIsJudged: what clients and the auditor ask and are answered, and what a loss of power takes.
func TestStorySaysWhatIsJudged(t *testing.T) {
	c := Default("cluster@v3.6.16")
	c.Clients, c.Operations, c.Watchers, c.Choice.Sync = 3, 20, 0, 200*time.Millisecond
	c.Faults = Faults{PowerLosses: 3, Stalls: 3, All: true}
	s := subjectOf(t, c)
	var said []string
	s.run(1, func(w *sim.World, e *sim.Event) {
		if l := s.Line(w, e); l.Text != "" {
			said = append(said, w.NodeName(e.Node)+" "+l.Text)
		}
	})
	all := strings.Join(said, "\n")
	for _, line := range []string{
		`client-1 asks member-\d: `, `client-1 is answered: `,
		`auditor asks member-\d: Put /registry/pods/audit=audit:1`, `member-\d tells auditor: rev \d+`,
		`member-\d loses power; lost: .*unsynced writes of \S+.wal`,
	} {
		require.Regexp(t, line, all)
	}
}
