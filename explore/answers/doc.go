// Package answers takes one step of a world with every combination of answers to the
// questions that it asks, for searches over all schedules.
//
// The package imports sim only.
package answers
