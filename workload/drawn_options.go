package workload

import "github.com/watchbed/watchbed/sim/option"

// DrawnOptions are about clients that draw their requests from all that there are,
// anew in each run.
type DrawnOptions struct {
	// OfCache is how many clients send LISTs and GETs to a cache, OfEtcd how many send
	// reads and writes to etcd, and Watchers how many watch a cache.
	OfCache, OfEtcd, Watchers int
	// Requests is how many requests each of them sends.
	Requests int
	// LargeBytes is the length of a large value, in bytes: values have up to twice as
	// many. 0 is no large values.
	LargeBytes int
	// Nested: transactions of OfEtcd may be within transactions, and puts may keep the
	// value that is there.
	Nested bool
	// Leases: OfEtcd grant, revoke and renew leases, and put keys on them.
	Leases bool
	// Physical: compactions of OfEtcd may ask for the answer when all is removed.
	Physical bool
	// Selectors: LISTs and watches may select objects by a field, and clients that watch
	// without drawing select those of the first writers.
	Selectors bool
	// Labels: with Selectors, they may select objects by a label as well.
	Labels bool
	// Terms: with Selectors, selectors may have several terms.
	Terms bool
	// Singles: LISTs and watches may be of one object. KeysOnly: LISTs may be of keys alone.
	Singles, KeysOnly bool
	// Seed gives what is drawn in the place of the run, so that each run has the same requests; 0 is that
	// the run does. A search of every schedule takes requests for fixed.
	Seed int
}

var drawnGroup = option.NewGroup("clients",
	option.Count("drawn-readers", func(o *DrawnOptions) *int { return &o.OfCache }, "", "clients that draw LISTs and GETs of a cache"),
	option.Count("drawn-clients", func(o *DrawnOptions) *int { return &o.OfEtcd }, "", "clients that draw reads and writes of etcd"),
	option.Count("drawn-watchers", func(o *DrawnOptions) *int { return &o.Watchers }, "", "clients that draw watches of a cache"),
	option.Count("drawn-requests", func(o *DrawnOptions) *int { return &o.Requests }, "", "requests that each of them draws"),
	option.Count("drawn-bytes", func(o *DrawnOptions) *int { return &o.LargeBytes }, "", "bytes of a large value that they write"),
	option.Switch("drawn-keys", func(o *DrawnOptions) *bool { return &o.KeysOnly }, "LISTs of keys alone among what they draw"),
	option.Switch("drawn-labels", func(o *DrawnOptions) *bool { return &o.Labels }, "with drawn-selectors: also by a label, or by both"),
	option.Switch("drawn-leases", func(o *DrawnOptions) *bool { return &o.Leases }, "leases, and puts on them, among what they draw"),
	option.Switch("drawn-nested", func(o *DrawnOptions) *bool { return &o.Nested }, "transactions within transactions, and puts that keep the value, among what they draw"),
	option.Switch("drawn-physical", func(o *DrawnOptions) *bool { return &o.Physical }, "compactions that are answered when all is removed among what they draw"),
	option.Count("drawn-seed", func(o *DrawnOptions) *int { return &o.Seed }, "each run draws anew", "what clients draw is given by this seed, and is the same in each run"),
	option.Switch("drawn-selectors", func(o *DrawnOptions) *bool { return &o.Selectors }, "LISTs and watches by a field among what they draw"),
	option.Switch("drawn-singles", func(o *DrawnOptions) *bool { return &o.Singles }, "LISTs and watches of one object among what they draw"),
	option.Switch("drawn-terms", func(o *DrawnOptions) *bool { return &o.Terms }, "with drawn-selectors: also by several terms"),
)
