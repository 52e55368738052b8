// Package yardstick puts the cache of this project behind k8s.io/apiserver's storage.Interface, so that upstream's own
// tests of a storage (k8s.io/apiserver/pkg/storage/testing) can be run against it.
//
// The cache is the one of package shell, on a real etcd. What an API server has beside a cache is
// upstream's: the etcd3 store takes writes, and codecs, transformers and versioners make
// objects of what the cache holds. The package is a module of its own, since the root module must not depend on
// Kubernetes, and must never be imported by another one.
package yardstick
