package protocol

// Versions of the protocol: of the kinds, of what the messages of each hold, and of what the overlay asks of the host.
// One rises by one with each change of that, in guest, node or overlay, so that a guest that was compiled before the
// change is refused. Kubernetes, etcd and members of a cluster are different guests, which are told and say
// different things.
const (
	Kubernetes = 8
	Etcd       = 5
	Cluster    = 4
)
