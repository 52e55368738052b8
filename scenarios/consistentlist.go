package scenarios

var consistentList = &Scenario{
	Name:    "consistent-list",
	Summary: "writers, noise, readers and watchers around one cache, with breaks: everything that KEP-2340 promises",
	Doc: `Puts, deletes and transactions on the watched prefix, noise on another one, consistent LISTs and GETs, watchers of
the cache, and a watch stream that breaks. On fixed versions nothing here is violated, and every branch of the
cache and of the watch path is taken often.`,
	Params: Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Writers: 2, Writes: 3, MixedWrites: true, Noise: 1, NoiseWrites: 2,
		Readers: 2, Reads: 3, Gets: 1, Read: "consistent", Watchers: 1, Caches: 1, AwaitReady: true, Keys: 3,
		Items: 1, History: 2, Breaks: 1, Steps: 20_000,
	},
	Claims:   []string{"linearizable", "linearizable-data", "sequential", Mirrors, "ordered", "unique", "reliable", "bookmarkable"},
	Expected: overtaken("linearizable", "linearizable-data", "sequential", Mirrors, "bookmarkable"),
}
