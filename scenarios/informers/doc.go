// Package informers holds the scenarios of informers (KEP-3157): how they list, how
// they watch, what they do when API servers refuse, restart or lag, and what a
// detector finds in their stores.
//
// The package must never import package scenarios, which lists these among its own.
package informers
