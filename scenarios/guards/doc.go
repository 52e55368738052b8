// Package guards holds the scenarios of what an API server checks before it trusts
// etcd (KEP-2340, "Version skew"), of the gate with and without notifications of etcd, and
// of the overload that a fallback causes.
//
// The package must never import package scenarios, which lists these among its own.
package guards
