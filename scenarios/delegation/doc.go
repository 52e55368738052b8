// Package delegation holds the scenarios of watches that an API server delegates to etcd.
//
// The package must never import package scenarios, which lists these among its own.
package delegation
