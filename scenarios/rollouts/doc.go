// Package rollouts holds the scenarios of a control plane that is changed while it
// serves: API servers with different options side by side, and servers that are replaced
// one after the other (the KEPs' "Rollout, Upgrade and Rollback Planning" and "Version
// Skew Strategy").
//
// In each of them the first server is the old one and the others have the design under
// test.
//
// The package must never import package scenarios, which lists these among its own.
package rollouts
