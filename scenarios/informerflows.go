package scenarios

// informerClaims are what every informer is held to.
var informerClaims = []string{InformerMirrors, InformerMonotonic, InformerSyncs}

var informerColdStart = &Scenario{
	Name:    "informer-cold-start",
	Summary: "informers stream their list from API servers that have just started, or start again meanwhile (KEP-3157)",
	Doc: `A cache that has not listed yet refuses a WatchList with 429, so the informer backs off and asks again; what it does get
begins with synthetic ADDED events and ends with a bookmark. With informer-list=list-watch the first list names
resourceVersion "0" and a limit, and a cold cache has etcd answer it in pages (KEP-3157, "Steps followed by informers").`,
	Params: Params{
		Etcd: "3.5.13", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 1, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", Caches: 1, Keys: 3, Items: 3,
		Informers: 2, InformerList: watchList, InformerPage: 2, Restarts: 1, Steps: 20_000,
	},
	Claims:   append([]string{InitialEvents}, informerClaims...),
	Expected: func(p *Params) []string { return nil },
}

var informerResume = &Scenario{
	Name:    "informer-resume",
	Summary: "watches of informers break, and are resumed at the last resourceVersion",
	Doc: `An informer that is cut off watches again behind the last event or bookmark that it took. It must miss nothing and see
nothing twice, whichever way it listed.`,
	Params: Params{
		Etcd: "3.5.13", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 2, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", Caches: 1, Keys: 2, Items: 2,
		Informers: 2, InformerList: listWatch, InformerBreaks: 4, Steps: 20_000,
	},
	Claims:   informerClaims,
	Expected: func(p *Params) []string { return nil },
}

var informerExpired = &Scenario{
	Name:    "informer-expired",
	Summary: "the history that an informer needs is gone (410), or the API server is behind it (504): it lists again, then with RV=\"\"",
	Doc: `Caches remember two events, and etcd compacts. A watch that is resumed too late ends with 410. The list that follows names
the last resourceVersion: a cache that is as far serves it; one that is not answers 504 after three seconds, and a list in
pages is etcd's, which may have compacted that revision. Only then does the informer ask for the newest state. KEP-3157's
appendix has RV="" follow the first 410; client-go does not.`,
	Params: Params{
		Etcd: "3.6.16", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 2, Writes: 4, Deletes: true, Noise: 1, NoiseWrites: 1, Read: "consistent", Caches: 2, Keys: 2, Items: 3, Ring: 2,
		Informers: 2, InformerList: listWatch, InformerPage: 1, InformerBreaks: 4, Compactions: 2, Steps: 40_000,
	},
	Claims:   informerClaims,
	Expected: func(p *Params) []string { return nil },
}

var informerMoves = &Scenario{
	Name:    "informer-moves",
	Summary: "informers restart and move between API servers, and ask for RV=\"\": they never go back in time",
	Doc: `What KEP-3157 promises of a stream with resourceVersion "": a process that has forgotten everything is not shown an older
state than the one before it, whichever API server it comes to (kubernetes/kubernetes#59848). See informer-time-travel.`,
	Params: Params{
		Etcd: "3.5.13", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 2, Writes: 3, Noise: 1, NoiseWrites: 1, Read: "consistent", Caches: 2, Keys: 2, Items: 2,
		Informers: 2, InformerList: watchList, InformerRV: "unset", InformerBreaks: 2, InformerRestarts: 3, Restarts: 1, Steps: 40_000,
	},
	Claims:   append([]string{InitialEvents}, informerClaims...),
	Expected: func(p *Params) []string { return nil },
}

var informerTimeTravel = &Scenario{
	Name:    "informer-time-travel",
	Summary: "the same with RV=\"0\", as client-go lists: a restarted informer goes back in time (kubernetes #59848)",
	Doc: `The first list of a process names resourceVersion "0": any state will do. If it comes to another API server, whose cache
is behind, it shows its handlers what it had shown them to be gone.`,
	Params: Params{
		Etcd: "3.5.13", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 2, Writes: 3, Noise: 1, NoiseWrites: 1, Read: "consistent", Caches: 2, Keys: 2, Items: 2,
		Informers: 2, InformerList: listWatch, InformerRV: "0", InformerBreaks: 2, InformerRestarts: 3, Restarts: 1, Steps: 40_000,
	},
	Claims:   informerClaims,
	Expected: func(p *Params) []string { return expectStale(p, InformerMonotonic) },
}

var informerDetector = &Scenario{
	Name:    "informer-detector",
	Summary: "the reflector compares what it was streamed with an exact list of etcd: does it find what early progress broke?",
	Doc: `client-go's data consistency detector (KUBE_WATCHLIST_INCONSISTENCY_DETECTOR) on an etcd that sends progress too early
(etcd-io/etcd#15220): caches lack objects, and informers that stream from them panic. It has to find each of them, and no
other. A difference that comes later, on the stream itself, it does not look for.`,
	Params: Params{
		Etcd: "3.5.7", Cache: "kep-2340", Assume: createdInOrder,
		Writers: 2, Writes: 3, Read: "consistent", Caches: 1, Keys: 2, Items: 1,
		Informers: 3, InformerList: watchList, InformerCheck: true, InformerRestarts: 2, Steps: 20_000,
	},
	Claims:   []string{InformerDetects, InformerMirrors},
	Expected: func(p *Params) []string { return nil },
}
