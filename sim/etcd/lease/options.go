package lease

import "github.com/watchbed/watchbed/sim/option"

// Options are what releases and planted bugs do otherwise.
type Options struct {
	TimeLeft TimeLeft
	Renewals Renewals
	Promoted Promoted
}

// TimeLeft is what a LeaseTimeToLive is answered if the member that is asked stops to lead
// before it has looked the lease up.
type TimeLeft uint8

const (
	// TimeLeftOfAny: what is left of a lease that no member watches, which is 292 years.
	TimeLeftOfAny TimeLeft = iota
	// TimeLeftOfLeader: ErrLeaderChanged (etcd-io/etcd#17642).
	TimeLeftOfLeader
)

// Renewals is what a renewal does to the time of a lease.
type Renewals uint8

const (
	// RenewalsCount: it begins anew.
	RenewalsCount Renewals = iota
	// RenewalsAnswered: it goes on, and the client is answered that it begins anew.
	RenewalsAnswered
)

// Promoted is what a new leader does about the leases that there are.
type Promoted uint8

const (
	// PromotedExtended: each has its whole time and an election timeout more.
	PromotedExtended Promoted = iota
	// PromotedForgotten: they are not queued for expiry before they are renewed.
	PromotedForgotten
)

// Choices are the options.
var Choices = option.NewGroup("etcd",
	option.Choice("lease-time-left", func(o *Options) *TimeLeft { return &o.TimeLeft },
		"what a LeaseTimeToLive is answered by a member that has just stopped to lead",
		option.Value{Name: "of-any", Doc: "as if the lease lived for ever (#17642)"},
		option.Value{Name: "of-leader", Doc: "the error that the leader has changed"}),
	option.Choice("lease-renewals", func(o *Options) *Renewals { return &o.Renewals },
		"what the renewal of a lease does to its time",
		option.Value{Name: "begin-anew", Doc: "it begins anew: all releases"},
		option.Value{Name: "answered-only", Doc: "it goes on as before, and the client is told that it begins anew: no release"}),
	option.Choice("promoted-leases", func(o *Options) *Promoted { return &o.Promoted },
		"what becomes of the leases that there are when a member begins to lead",
		option.Value{Name: "extended", Doc: "each has its whole time again, and an election timeout more: all releases"},
		option.Value{Name: "forgotten", Doc: "they do not expire before they are renewed: no release"}),
)
