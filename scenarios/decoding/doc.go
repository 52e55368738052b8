// Package decoding holds scenarios in which what API servers do with events of etcd takes time:
// several are decoded at once, an object cannot be decoded, or a conversion webhook is slow
// (KEP-6178).
//
// The package must never import package scenarios, which lists these among its own.
package decoding
