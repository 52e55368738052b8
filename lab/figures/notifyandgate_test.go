package figures

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
)

// The four combinations that KEP-2340 wants tested, "e2e tests". Off is etcd's default,
// of which nothing comes in a minute; on is what Kubernetes' own test clusters have.
var notifyAndGate = []struct{ notify, gate string }{
	{"notify=5s", "default"}, {"notify=10m", "default"}, {"notify=5s", "disabled"}, {"notify=10m", "disabled"},
}

const (
	notifyAndGateSchedules = 300
	costSchedules          = 40
)

func exploredWith(t *testing.T, settings ...string) *campaign.Result {
	t.Helper()
	c := campaigns.Explored(t, scenarios.NotifyAndGate, campaigns.With(t, scenarios.NotifyAndGate, settings...), 0, notifyAndGateSchedules)
	require.Zero(t, c.Truncated)
	return c
}

// TestNotifyAndGate says by hand what each combination comes to. Whether etcd notifies
// decides nothing by itself: with the gate off what is asked of the cache is late with
// both intervals, and with the gate on it is in time with both.
func TestNotifyAndGate(t *testing.T) {
	for _, x := range []struct {
		etcd, gate, read string
		safe, live       bool
	}{
		{"3.5.7", "default", "seen", false, true},   // etcd-io/etcd#15220
		{"3.5.12", "default", "seen", true, false},  // etcd-io/etcd#17507
		{"3.6.16", "default", "seen", true, true},   // KEP-2340
		{"3.5.7", "disabled", "seen", true, false},  // what is named is waited for
		{"3.6.16", "disabled", "seen", true, false}, // whatever etcd it is
		{"3.5.7", "disabled", "consistent", true, true},
		{"3.5.12", "disabled", "consistent", true, true},
	} {
		for _, notify := range []string{"notify=5s", "notify=10m"} {
			c := exploredWith(t, "etcd="+x.etcd, notify, "consistent-list-from-cache="+x.gate, "read="+x.read)
			assert.Equal(t, x.safe, violations(t, c, reads.Linearizable) == 0, "%v %s", x, notify)
			assert.Equal(t, x.live, violations(t, c, reads.AnswersInTime) == 0, "%v %s", x, notify)
		}
	}
	often := exploredWith(t, "notify=250ms", "consistent-list-from-cache=disabled")
	assert.Zero(t, violations(t, often, reads.AnswersInTime), "notifications can take the place of requests")
}

// TestFiguresOfNotifyAndGate measures the tables of guards.md that are about them.
func TestFiguresOfNotifyAndGate(t *testing.T) {
	holdTables(t, "guards.md", []table{{"notify and gate", measuredNotifyAndGate}, {"cost of notify and gate", measuredCostOfNotifyAndGate}})
}

func measuredNotifyAndGate(t *testing.T) string {
	versions := []string{"3.5.7", "3.5.12", "3.6.16"}
	var b strings.Builder
	b.WriteString("| notifications | gate | " + strings.Join(versions, " | ") + " |\n|---|---|" + strings.Repeat("---|", len(versions)) + "\n")
	for _, x := range notifyAndGate {
		fmt.Fprintf(&b, "| `%s` | %s |", x.notify, x.gate)
		for _, version := range versions {
			c := exploredWith(t, "etcd="+version, x.notify, "consistent-list-from-cache="+x.gate)
			fmt.Fprintf(&b, " %d / %d |", violations(t, c, reads.Linearizable), violations(t, c, reads.AnswersInTime))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// measuredCostOfNotifyAndGate is what a consistent LIST costs in each combination.
func measuredCostOfNotifyAndGate(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| notifications | gate | LIST, mean / p99 | ranges of etcd | bytes of etcd | progress requests | notifications |\n|---|---|---|---|---|---|---|\n")
	for _, x := range append(notifyAndGate[:4:4], []struct{ notify, gate string }{{"notify=250ms", "default"}, {"notify=250ms", "disabled"}}...) {
		p := campaigns.With(t, scenarios.CostElsewhere, "etcd=3.6.16", "reads=60", "noise-for=20s", "noise-writes=2000", x.notify, "consistent-list-from-cache="+x.gate)
		c := sampled(t, scenarios.CostElsewhere, p, costSchedules)
		took := tally(t, c, `apiserver_request_duration_seconds{verb="LIST"}`)
		each := func(names ...string) (sum float64) {
			for _, name := range names {
				sum += float64(tally(t, c, name).Sum())
			}
			return sum / float64(took.Count())
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s / %s | %.2f | %.0f | %.3f | %.3f |\n", x.notify, x.gate, seconds(took.Sum()/int64(took.Count())), seconds(took.Quantile(0.99)),
			each(`etcd_requests_total{operation="getCurrentResourceVersion"}`, `etcd_requests_total{operation="list",for="client"}`),
			each(`etcd_response_bytes_total{operation="list",for="client"}`),
			each("etcd_progress_requests_total"), each("etcd_bookmark_total"))
	}
	return b.String()
}
