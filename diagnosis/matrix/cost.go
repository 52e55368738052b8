package matrix

import (
	"math"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore/campaign"
)

// Cost is what the consistent LISTs of one workload cost, or its writes.
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
	RequestsPerList         float64 `json:"etcdRequestsPerList"`
	BytesPerList            float64 `json:"etcdBytesPerList"`
	ProgressRequestsPerList float64 `json:"progressRequestsPerList"`
	NotificationsPerList    float64 `json:"progressNotificationsPerList"`
	WatchBytesPerList       float64 `json:"etcdWatchBytesPerList"`
	// Writes are through API servers. A try is a transaction, and its answer may have the object.
	Writes        uint64                `json:"writes,omitempty"`
	WriteDuration *summary.Distribution `json:"writeDurationSeconds,omitempty"`
	TriesPerWrite float64               `json:"triesPerWrite,omitempty"`
	BytesPerWrite float64               `json:"etcdBytesPerWrite,omitempty"`
	Metrics       []summary.Metric      `json:"metrics,omitempty"`
}

// CostOf reads the cost of a workload from what its campaign measured.
func CostOf(c *campaign.Result) *Cost {
	all := summary.MetricsOf(c.Metrics)
	cost := &Cost{Metrics: all}
	var requests, bytes, progress, notifications, watched, tries, written float64
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
		case m.Name == "write_duration_seconds":
			cost.WriteDuration, cost.Writes = m.Of, m.Count
		case m.Name == "write_attempts_total":
			tries = m.Total
		case strings.HasPrefix(m.Name, "etcd_response_bytes_total{") && strings.Contains(m.Name, `for="write"`):
			written += m.Total
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
	if cost.Writes > 0 {
		cost.TriesPerWrite, cost.BytesPerWrite = tries/float64(cost.Writes), written/float64(cost.Writes)
	}
	return cost
}

// measure is one figure of what LISTs or writes cost, for each of them. It is nil where nothing was measured.
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
	{"write p99", "s", func(c *Cost) *float64 { return p99(c.WriteDuration) }},
	{"tries", "", func(c *Cost) *float64 { return perWrite(c, c.TriesPerWrite) }},
	{"write bytes", "bytes", func(c *Cost) *float64 { return perWrite(c, c.BytesPerWrite) }},
}

// perWrite is nil where there was no write.
func perWrite(c *Cost, v float64) *float64 {
	if c.Writes == 0 {
		return nil
	}
	return &v
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

// Measure is a figure of what LISTs or writes cost, with its unit: "s", "bytes", "share" or empty for what is counted.
// It is nil where nothing was measured.
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

// alikeCosts reports whether a measure is about the same on both sides.
func alikeCosts(x, y *float64) bool {
	return x != nil && y != nil && math.Abs(*x-*y) <= costShareAlike*math.Max(*x, *y)
}

// WritesDiffer reports whether writes cost more in some cell than in another.
func (m *Matrix) WritesDiffer() bool {
	var first *Cost
	for _, cell := range m.Cells {
		c := cell.CostOf(Writing)
		if c == nil || c.Writes == 0 {
			continue
		}
		if first == nil {
			first = c
		}
		for _, x := range measures {
			if a, b := x.of(first), x.of(c); a != nil && !alikeCosts(a, b) {
				return true
			}
		}
	}
	return false
}

// compareCosts compares what LISTs and writes cost in a scenario.
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
		case alikeCosts(x, y):
			c.Alike.Costs++
		default:
			c.Costs = append(c.Costs, CostDifference{a.Scenario, m.name, m.unit, [2]*float64{x, y}})
		}
	}
}
