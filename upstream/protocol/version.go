package protocol

// Versions of the protocol: of the kinds, and of what the messages of each hold. One rises by one with each
// change of that, in guest or in node, so that a guest that was compiled before the change is refused. Kubernetes and
// etcd are different guests, which are told and say different things.
const (
	Kubernetes = 1
	Etcd       = 2
)
