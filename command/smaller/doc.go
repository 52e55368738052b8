// Package smaller says how a scenario is made so small that a search looks at every schedule: with which options, and which
// worlds of it were searched to their end.
//
// The package must never import package command, or read flags.
package smaller
