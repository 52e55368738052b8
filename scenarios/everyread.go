package scenarios

var everyRead = &Scenario{
	Name:    "every-read",
	Summary: "LISTs and GETs in every way: consistent, any, not older, exact, in pages, of a future revision, invalid",
	Doc: `Readers ask one way after the other, of a cache that lists in pages; it restarts, and so does etcd, which compacts. Consistent reads are
held to linearizability, the others to what they asked for.`,
	Params: Params{
		Etcd: "3.6.16", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 2, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1,
		Readers: 3, Reads: 4, Gets: 3, Read: "every", Watchers: 1, Leave: 2, Caches: 1, Keys: 3,
		Items: 3, History: 1, Restarts: 1, EtcdRestarts: 1, Compactions: 1, Page: 1, Steps: 20_000,
	},
	Claims:   []string{"linearizable", "linearizable-data", "not-older-than", "exact", Mirrors, "ordered", "unique", "reliable"},
	Expected: overtaken("linearizable", "linearizable-data", Mirrors),
	Possible: afterCompactions("linearizable", "linearizable-data", Mirrors, "reliable"),
}
