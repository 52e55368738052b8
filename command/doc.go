// Package command is the command line of simrun as a library: list, run, matrix,
// compare, replay, shrink, check and bench. A main of one's own registers what it brings
// and calls Main:
//
//	func main() { os.Exit(command.Main(os.Args[1:])) }
//
// Designs of a cache, scenarios, properties, known bugs and values of options that
// imported packages register stand beside ours in every subcommand.
//
// The package must never import what opens sockets or talks to a real etcd: its
// cold start stays short.
package command
