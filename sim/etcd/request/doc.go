// Package request has what etcd refuses by looking at the request alone, before anything of
// it is carried out (v3rpc/key.go), and the errors of requests that ask for a past or a
// future which the store does not have.
//
// It must never import sim/etcd, which asks it.
package request
