package report

import (
	"strings"

	"github.com/watchbed/watchbed/explore"
)

// costOf reads the cost of a workload out of what its campaign measured.
func costOf(scenario string, c *explore.Campaign, command string) *Cost {
	all := measure(c.Metrics)
	cost := &Cost{Scenario: scenario, Schedules: c.Schedules, Metrics: all, Command: command}
	var requests, bytes, progress, notifications float64
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
		case strings.Contains(m.Name, `for="reflector"`):
			// What the cache begins with is no LIST's.
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
	}
	return cost
}
