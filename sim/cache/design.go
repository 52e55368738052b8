package cache

import "fmt"

// Design is a named set of options.
type Design struct {
	Name    string
	Summary string
	Options Options
}

var designs = []Design{
	{"kep-2340", "a consistent LIST waits until the cache is as new as etcd was; 504 after 3 s (KEP-2340)",
		Options{}},
	{"kep-2340-fallback", "the same, but etcd answers after 3 s (Kubernetes 1.31 and later)",
		Options{OnTimeout: OnTimeoutFallback}},
	{"direct", "etcd answers every LIST and GET; the cache serves watches only",
		Options{Freshness: FreshnessDirect}},
	{"stale", "a LIST without resourceVersion is answered like one with \"0\": from the cache, however old (#59848)",
		Options{Freshness: FreshnessNone}},
	{"single-request", "kep-2340 with one progress request for each waiting read instead of one every 100 ms",
		Options{ProgressRequests: ProgressOnce}},
}

// Designs lists the designs that the package knows, in a fixed order.
func Designs() []Design { return append([]Design(nil), designs...) }

// ForDesign returns the options of a design. It returns an error that lists
// the designs if there is none of that name.
func ForDesign(name string) (Options, error) {
	var names []string
	for _, d := range designs {
		if d.Name == name {
			return d.Options, nil
		}
		names = append(names, d.Name)
	}
	return Options{}, fmt.Errorf("cache: no design %q; there are %q", name, names)
}
