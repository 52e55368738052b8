package scenarios

var consistentList = &Scenario{
	Name:    "consistent-list",
	Summary: "writers, noise, readers and watchers around one cache, with breaks and restarts: everything that KEP-2340 promises",
	Doc: `Puts, deletes and transactions on the watched prefix, noise on another one, consistent LISTs and GETs, watchers of the
cache, watch streams that break and an API server that restarts. On fixed versions nothing here is violated, once the
race of the scenario rewatch is put aside.`,
	Params: Params{
		Etcd: "3.5.13", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 2, Writes: 3, Txns: true, Deletes: true, Noise: 1, NoiseWrites: 2,
		Readers: 2, Reads: 3, Gets: 1, Read: "consistent", Watchers: 1, Caches: 1, AwaitReady: true, Keys: 3,
		Items: 1, History: 2, Breaks: 1, Restarts: 1, Steps: 20_000,
	},
	Claims:   []string{"linearizable", "linearizable-data", "sequential", Mirrors, "ordered", "unique", "reliable", "bookmarkable"},
	Expected: overtaken("linearizable", "linearizable-data", "sequential", Mirrors, "bookmarkable"),
	Possible: afterBreaks,
}
