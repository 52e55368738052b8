package lease

import "github.com/watchbed/watchbed/sim/option"

// Options are what releases and planted bugs do otherwise.
type Options struct {
	// RefusesTimeLeft: a LeaseTimeToLive is answered ErrLeaderChanged if the member that is asked stops to lead before
	// it has looked the lease up (etcd-io/etcd#17642). Otherwise it is what is left of a lease that no member watches,
	// which is 292 years.
	RefusesTimeLeft bool
	// RenewsKnown is the feature gate FastLeaseKeepAlive (etcd-io/etcd#20589): the renewal of a lease that the leader
	// knows does not wait until all that is committed is applied.
	RenewsKnown bool
	// RevokesFirst is the feature gate PriorityRequest (etcd-io/etcd#20492): a LeaseRevoke is not refused because too many
	// entries are not applied. An overload of a run is within its bound, twice as many.
	RevokesFirst bool
	// RenewalsAnswered: a renewal leaves the time of a lease as it is, and the client is answered that it begins anew.
	RenewalsAnswered bool
	// ForgetsPromoted: a new leader does not queue leases for expiry before they are renewed. As shipped each has its
	// whole time and an election timeout more.
	ForgetsPromoted bool
}

// Choices are the options.
var Choices = option.NewGroup("etcd",
	option.Either("lease-time-left", func(o *Options) *bool { return &o.RefusesTimeLeft },
		"what a LeaseTimeToLive is answered by a member that has just stopped to lead",
		option.Value{Name: "of-any", Doc: "as if the lease lived for ever (#17642)"},
		option.Value{Name: "of-leader", Doc: "the error that the leader has changed"}),
	option.Either("lease-renewal-waits", func(o *Options) *bool { return &o.RenewsKnown },
		"which renewals of leases wait until all that is committed is applied",
		option.Value{Name: "all", Doc: "each"},
		option.Value{Name: "unknown", Doc: "those of a lease that the leader does not know (FastLeaseKeepAlive)"}),
	option.Either("priority-requests", func(o *Options) *bool { return &o.RevokesFirst },
		"which writes an overloaded etcd does not refuse",
		option.Value{Name: "none", Doc: "no write is preferred: all releases as they come"},
		option.Value{Name: "lease-revoke", Doc: "revocations of leases, by clients and at their expiry (PriorityRequest, alpha in 3.7)"}),
	option.Either("lease-renewals", func(o *Options) *bool { return &o.RenewalsAnswered },
		"what the renewal of a lease does to its time",
		option.Value{Name: "begin-anew", Doc: "it begins anew: all releases"},
		option.Value{Name: "answered-only", Doc: "it goes on as before, and the client is told that it begins anew: no release"}),
	option.Either("promoted-leases", func(o *Options) *bool { return &o.ForgetsPromoted },
		"what becomes of the leases that there are when a member begins to lead",
		option.Value{Name: "extended", Doc: "each has its whole time again, and an election timeout more: all releases"},
		option.Value{Name: "forgotten", Doc: "they do not expire before they are renewed: no release"}),
)
