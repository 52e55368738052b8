package layering

// A pattern is a package, as a path below the module or as a full import path. With
// /... at its end it also means all packages below. "..." means all.

// layers are the packages of the module from the ground up. A package imports only
// packages of lower layers, and those of its own pattern. Packages of the same layer
// know nothing of each other.
var layers = [][]string{
	{"internal/mutants", "internal/testsize", "internal/registry"},
	{"model", "metric", "internal/intern", "sim/arena", "sim/release", "findings", "proofs"},
	{"sim/option", "linearizability/...", "history/..."},
	{"sim", "check/...", "internal/recordings", "internal/random"},
	{"sim/wire", "sim/state", "explore/...", "internal/simtest"},
	{"sim/etcd/...", "sim/client/...", "sim/cache/...", "sim/compactor/...", "sim/informer/..."},
	{"sim/follower", "sim/etcdcache", "workload/..."},
	{"testbed/..."},
	{"properties/...", "internal/campaigns"},
	{"scenarios/..."},
	{"knownbugs/..."},
	{"diagnosis/..."},
	{"report/..."},
	{"command/...", "scenariotest", "etcdtest"},
	{"cmd/..."},
	{"internal/layering"},
}

// rule says what packages must never import, directly or indirectly.
type rule struct {
	packages []string
	except   []string
	never    []string
	// directly: what the imported packages import is their own affair.
	directly bool
	because  string
}

var forbidden = []rule{
	{
		packages: []string{"model"}, never: []string{"sim/...", "history", "linearizability/...", "explore/..."},
		because: "it judges the others: a mistake in shared code would hide in both",
	},
	{
		packages: []string{"sim/..."}, never: []string{"model"},
		because: "the model judges what is simulated: a mistake in shared code would hide in both",
	},
	{
		packages: []string{"sim/option"}, never: []string{"sim/...", "model"},
		because: "every node declares options, and none needs those of another node",
	},
	{
		packages: []string{"sim/cache/store", "sim/cache/traffic", "sim/cache/guard", "sim/cache/progress", "sim/cache/flowcontrol"},
		never:    []string{"sim/cache/..."},
		because:  "a part of the cache that needs no other",
	},
	{
		packages: []string{"sim/cache/request"},
		never:    []string{"sim/cache/read/...", "sim/cache/dispatch/...", "sim/cache/reflector", "sim/cache/check", "sim/cache/guard", "sim/cache/progress"},
		because:  "what a request says does not depend on how the cache waits, watches or fills",
	},
	{
		packages: []string{"sim/cache/reflector"},
		never:    []string{"sim/cache/store", "sim/cache/read/...", "sim/cache/dispatch/...", "sim/cache/check", "sim/cache/guard", "sim/cache/progress"},
		because:  "it lists and watches; the Sink decides what becomes of the objects",
	},
	{
		packages: []string{"sim/cache/check"},
		never:    []string{"sim/cache/read/...", "sim/cache/dispatch/...", "sim/cache/reflector", "sim/cache/guard", "sim/cache/progress"},
		because:  "it compares the store with etcd, beside all reads and watches",
	},
	{
		packages: []string{"sim/cache/read/...", "sim/cache/dispatch/..."},
		never:    []string{"sim/cache/reflector"},
		because:  "LIST and WATCH see the store, not how it is filled",
	},
	{
		packages: []string{"history/...", "linearizability/...", "check/..."}, never: []string{"sim/..."},
		because: "it judges histories from anywhere, also from real servers",
	},
	{
		packages: []string{"sim/...", "workload/...", "testbed/...", "properties/...", "scenarios/..."}, never: []string{"check/...", "history/..."},
		because: "of what a simulation runs everything is known: recordings from elsewhere are read and judged apart",
	},
	{
		packages: []string{"explore/..."}, never: []string{"sim/wire", "sim/etcd/...", "sim/client/...", "sim/cache/..."},
		because: "choosing, recording and shrinking work on any world of nodes, not on etcd's",
	},
	{
		packages: []string{"explore", "explore/strategy"}, never: []string{"sync/...", "os/..."}, directly: true,
		because: "a run is a function of its choices, and these of a seed",
	},
	{
		packages: []string{"explore/recording"}, never: []string{"explore/campaign"},
		because: "a run is recorded, replayed and shrunk alone",
	},
	{
		packages: []string{"workload/..."}, never: []string{"sim/etcd/...", "sim/client/...", "sim/cache/..."},
		because: "clients know their API server and etcd by messages only, so any cache can take the place of ours",
	},
	{
		packages: []string{"diagnosis/flip"}, never: []string{"diagnosis/story"},
		because: "which option decides is found by running, not by reading a story",
	},
	{
		packages: []string{"..."}, except: []string{"explore/property", "scenariotest", "etcdtest", "cmd/simetcd", "internal/campaigns"}, never: []string{"net/http", "crypto/tls"},
		because: "simrun speaks to nothing, and with them it has a hundred packages more to compile",
	},
	{
		packages: []string{"..."}, except: []string{"explore/property", "scenariotest", "etcdtest", "cmd/simetcd", "internal/testsize", "internal/simtest", "internal/campaigns"}, never: []string{"testing", "pgregory.net/rapid"},
		because: "no command carries the flags of go test",
	},
	{
		packages: []string{"..."}, except: []string{"command/...", "cmd/..."}, never: []string{"github.com/spf13/cobra", "flag"}, directly: true,
		because: "flags are read in one place, so that another main can have others",
	},
	{
		packages: []string{"..."}, except: []string{"explore/internal/toys"}, never: []string{"explore/internal/toys"},
		because: "it is for tests",
	},
	{
		packages: []string{"internal/mutants"}, never: []string{"sim/...", "model", "testbed/...", "properties/..."},
		because: "it is in the binary that has the mutants in it",
	},
	{
		packages: []string{"..."}, except: []string{"internal/recordings", "internal/random"},
		never:   []string{"internal/recordings", "internal/random"},
		because: "it is for tests",
	},
	{
		packages: []string{"..."}, except: []string{"internal/testsize"}, never: []string{"internal/testsize"},
		because: "it is for tests, and how a program collects garbage is its own affair",
	},
	{
		packages: []string{"..."}, except: []string{"internal/campaigns"}, never: []string{"internal/campaigns"},
		because: "it is for tests",
	},
}
