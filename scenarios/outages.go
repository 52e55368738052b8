package scenarios

import "time"

var outages = &Scenario{
	Name:    "outages",
	Summary: "etcd restarts, installs a snapshot and compacts while clients write and read",
	Doc: `Everybody loses the connection to etcd: writes of unknown outcome, reads that the client library repeats, watches that
resume below the compacted revision and end, caches that list again. etcd's progress ticker runs, too.`,
	Params: Params{
		Etcd: "3.6.16", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 2, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 2,
		Readers: 2, Reads: 3, Gets: 1, Read: "consistent", Watchers: 1, Streams: 1, Caches: 1, AwaitReady: true, Keys: 2,
		Items: 2, History: 1, Breaks: 1, EtcdRestarts: 1, Snapshots: 1, Compactions: 2,
		CompactionBatch: 1, SyncBatch: 1, Notify: 10 * time.Minute, ClientKV: true, Steps: 20_000,
	},
	Claims:   []string{"linearizable", "linearizable-data", "sequential", Mirrors, "ordered", "unique", "reliable", "bookmarkable"},
	Expected: overtaken("linearizable", "linearizable-data", "sequential", Mirrors, "bookmarkable"),
	Possible: afterCompactions("linearizable", "linearizable-data", "sequential", Mirrors, "reliable", "bookmarkable"),
}
