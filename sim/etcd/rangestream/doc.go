// Package rangestream is the loop of EtcdServer.rangeStream (etcd 3.7, KEP-5966): a Range that
// is answered in chunks, each of which is a read transaction of its own.
//
// The package has what a stream remembers between two chunks, and how large the next one is.
// When a chunk is read, and whether there is room for it, is the server's affair.
//
// It must never import package etcd, which runs the streams.
package rangestream
