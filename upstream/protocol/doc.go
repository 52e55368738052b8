// Package protocol is how a guest and its host speak: kinds of messages, and the bytes that
// numbers and texts become. What the messages hold is that of package wire of the
// simulation on the host's side, and that of etcdserverpb and Kubernetes on the guest's.
//
// A guest is compiled with this package alone, so that it depends on nothing of the
// simulation. It must never import any other package.
package protocol
