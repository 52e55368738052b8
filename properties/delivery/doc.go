// Package delivery has the properties of how a cache brings events to clients that do not
// keep up, and to those beside them (KEP-6268).
//
// The package must never import scenarios.
package delivery
