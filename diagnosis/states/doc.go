// Package states replays a recorded run and keeps what the nodes hold after each of
// its steps, for a page about the run.
//
//	part    a named part of the state of a node
//	states  the entries of each part after each step, and whether the step changed them
//
// What nodes hold they show themselves (shown.Node). The package knows no node, and
// reads no text. It must never import package story or package report.
package states
