// Package starts judges whether what begins with the state of etcd comes to the end of that.
//
// The package must never import package scenarios.
package starts
