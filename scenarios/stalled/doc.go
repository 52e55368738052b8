// Package stalled holds scenarios in which clients of a cache's watches do not keep up, and what
// KEP-6268 weighs for that: slow-watchers=ended, latch, reinitialised or groups.
//
// The package must never import package scenarios, which lists these among its own.
package stalled
