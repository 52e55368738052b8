// Package plant is about known bugs and settings that a command puts into a scenario: which scenario
// shows the bugs, and whether a bug or a setting made a difference.
//
// The package must never import package command, or read flags.
package plant
