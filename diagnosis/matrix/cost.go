package matrix

import (
	"math"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore/campaign"
)

// Cost is what the consistent LISTs of one workload cost.
type Cost struct {
	// Lists is how many there were, FromCache how many of them the cache served.
	Lists     uint64 `json:"lists"`
	FromCache uint64 `json:"fromCache"`
	// Wait is how long they waited for the cache to be fresh, those that did not
	// wait included, and ReadWait what Kubernetes' metric says: only those that
	// did. Both are nil where no LIST ever waits. Duration is how long they took.
	Wait     *summary.Distribution `json:"waitSeconds,omitempty"`
	ReadWait *summary.Distribution `json:"readWaitSeconds,omitempty"`
	Duration *summary.Distribution `json:"durationSeconds,omitempty"`
	// The rest is per LIST. Requests are ranges; what the cache asks for when it
	// starts is left out. WatchBytes are all that etcd sent on watch streams, as protobuf; 0 where compiled code did.
	RequestsPerList         float64          `json:"etcdRequestsPerList"`
	BytesPerList            float64          `json:"etcdBytesPerList"`
	ProgressRequestsPerList float64          `json:"progressRequestsPerList"`
	NotificationsPerList    float64          `json:"progressNotificationsPerList"`
	WatchBytesPerList       float64          `json:"etcdWatchBytesPerList"`
	Metrics                 []summary.Metric `json:"metrics,omitempty"`
}

// CostOf reads the cost of a workload from what its campaign measured.
func CostOf(c *campaign.Result) *Cost {
	all := summary.MetricsOf(c.Metrics)
	cost := &Cost{Metrics: all}
	var requests, bytes, progress, notifications, watched float64
	for i := range all {
		m := &all[i]
		switch {
		case m.Name == "consistent_read_wait_seconds":
			cost.Wait = m.Of
		case m.Name == "apiserver_watch_cache_read_wait_seconds":
			cost.ReadWait = m.Of
		case m.Name == `apiserver_request_duration_seconds{verb="LIST"}`:
			cost.Duration, cost.Lists = m.Of, m.Count
		case m.Name == "apiserver_cache_list_total":
			cost.FromCache = uint64(m.Total)
		case m.Name == "etcd_progress_requests_total":
			progress = m.Total
		case m.Name == "etcd_bookmark_total":
			notifications = m.Total
		case m.Name == `etcd_network_client_grpc_sent_bytes_total{service="Watch"}`:
			watched = m.Total
		case strings.Contains(m.Name, `for="reflector"`), strings.Contains(m.Name, `for="write"`):
			// What the cache begins with belongs to no LIST, and what writes ask does not.
		case strings.HasPrefix(m.Name, "etcd_requests_total{"):
			requests += m.Total
		case strings.HasPrefix(m.Name, "etcd_response_bytes_total{"):
			bytes += m.Total
		}
	}
	if cost.Lists > 0 {
		n := float64(cost.Lists)
		cost.RequestsPerList, cost.BytesPerList = requests/n, bytes/n
		cost.ProgressRequestsPerList, cost.NotificationsPerList = progress/n, notifications/n
		cost.WatchBytesPerList = watched / n
	}
	return cost
}

// measure is one figure of what LISTs cost, per LIST. It is nil where nothing was measured.
type measure struct {
	name, unit string
	of         func(*Cost) *float64
}

var measures = []measure{
	{"wait p99", "s", func(c *Cost) *float64 { return p99(c.Wait) }},
	{"duration p99", "s", func(c *Cost) *float64 { return p99(c.Duration) }},
	{"cached", "share", func(c *Cost) *float64 { return perList(c, float64(c.FromCache)/float64(c.Lists)) }},
	{"requests", "", func(c *Cost) *float64 { return perList(c, c.RequestsPerList) }},
	{"bytes", "bytes", func(c *Cost) *float64 { return perList(c, c.BytesPerList) }},
	{"progress requests", "", func(c *Cost) *float64 { return perList(c, c.ProgressRequestsPerList) }},
	{"notifications", "", func(c *Cost) *float64 { return perList(c, c.NotificationsPerList) }},
	{"watch bytes", "bytes", watchBytes},
}

func watchBytes(c *Cost) *float64 {
	if c.WatchBytesPerList == 0 {
		return nil
	}
	return &c.WatchBytesPerList
}

func p99(d *summary.Distribution) *float64 {
	if d == nil {
		return nil
	}
	return &d.P99
}

// perList is nil where there was no LIST.
func perList(c *Cost, v float64) *float64 {
	if c.Lists == 0 {
		return nil
	}
	return &v
}

// Measure is a figure of what LISTs cost, with its unit: "s", "bytes", "share" or empty for what is counted. It is nil
// where nothing was measured.
func (c *Cost) Measure(name string) (v *float64, unit string) {
	for _, m := range measures {
		if m.name == name && c != nil {
			return m.of(c), m.unit
		}
	}
	return nil, ""
}

// CostDifference is a measure of cost that differs.
type CostDifference struct {
	Scenario string `json:"scenario"`
	Measure  string `json:"measure"`
	// Unit is "s", "bytes", "share" or empty for what is counted.
	Unit string `json:"unit,omitempty"`
	// Values are those of the sides, nil where nothing was measured.
	Values [2]*float64 `json:"values"`
}

// Alike within this share of the larger value: forty runs do not measure more exactly.
const costShareAlike = 0.1

// compareCosts compares what LISTs cost in a scenario.
func (c *Comparison) compareCosts(a, b *Run) {
	if a.Cost == nil && b.Cost == nil {
		return
	}
	if a.Cost == nil || b.Cost == nil {
		c.unknown(a.Scenario, "", "costs were measured with one side only")
		return
	}
	for _, m := range measures {
		x, y := m.of(a.Cost), m.of(b.Cost)
		switch {
		case x == nil && y == nil:
		case x != nil && y != nil && math.Abs(*x-*y) <= costShareAlike*math.Max(*x, *y):
			c.Alike.Costs++
		default:
			c.Costs = append(c.Costs, CostDifference{a.Scenario, m.name, m.unit, [2]*float64{x, y}})
		}
	}
}
