package draws

import "github.com/watchbed/watchbed/sim/option"

// Processes is which processes there are, and how they are connected.
var Processes = []option.Range{
	option.From("caches", "1", "2"),
	option.From("namespaces", "0", "1", "2"),
	option.From("client-kv", "true"),
	option.From("client-writes", "true"),
	option.From("lagging", "true"),
}

// Clients is how much clients write and read, and what there is before they begin. A
// scenario needs keys, writers and readers of its own.
var Clients = []option.Range{
	option.From("writers", "1", "3"),
	option.From("writes", "2", "3", "6"),
	option.From("txns", "true", "false"),
	option.From("deletes", "true", "false"),
	option.From("noise", "0", "1", "2"),
	option.From("noise-writes", "1", "3"),
	option.From("noise-beside", "true"),
	option.From("keys", "1", "2", "3", "6"),
	option.From("items", "0", "1", "2", "5"),
	option.From("history", "0", "1", "3"),
	option.From("compactions", "0", "1", "3"),
	option.From("await-ready", "true", "false"),
}

// Faults is what breaks, and how often. Those that need a member that lags do nothing
// without one.
var Faults = []option.Range{
	option.From("breaks", "0", "1", "4"),
	option.From("restarts", "0", "1", "2"),
	option.From("recreations", "1"),
	option.From("etcd-restarts", "1", "2"),
	option.From("follower-restarts", "1"),
	option.From("etcd-snapshots", "1", "2"),
	option.From("defragment", "true"),
	option.From("timeouts", "1", "3"),
	option.From("leader-changes", "1", "2"),
	option.From("overloads", "1", "2"),
	option.From("leader-losses", "1", "2"),
	option.From("stream-ends", "1", "2"),
	option.From("call-breaks", "1", "3"),
}
