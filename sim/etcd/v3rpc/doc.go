// Package v3rpc (unstable) is the watch server of a simulated etcd server, with the original's
// parts under the original's names (v3rpc/watch.go):
//
//	WatchServer        the streams of a server
//	ServerWatchStream  one gRPC stream: recvLoop, sendLoop, ctrlStream, the maps
//	                   progress, prevKV and fragment, the progress ticker
//	sendFragments      in fragment.go
//
// Beside it key.go has what etcd refuses by looking at a request alone, size.go the sizes of messages as protobuf.
//
// Where releases run other code, the stream calls the implementation that its
// Options choose: ProgressRequests for what becomes of a progress request. Another module may register one.
//
// The package imports sim, sim/wire and mvcc. It must never import the server that
// it is part of.
package v3rpc
