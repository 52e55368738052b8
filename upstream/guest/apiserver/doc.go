// Package apiserver is an API server's storage of one resource: Kubernetes' cacher and etcd3 store and etcd's clientv3,
// unmodified, in front of an etcd that is elsewhere.
//
// What comes in and goes out are messages (package protocol). The package itself adds what
// stands around the storage in an API server: one goroutine for each request, the type of
// the objects, and the generated clients of etcd's API under clientv3. It must never decide
// anything that the storage decides.
//
// It is the same in a guest in WebAssembly and in a native program, which differ in their Host. It must never import
// one of them.
package apiserver
