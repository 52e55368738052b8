// Package draws (unstable) varies a scenario: from a number it draws options of the nodes, sizes,
// clients and faults (swarm testing: Groce et al., Swarm Testing, ISSTA 2012). A campaign over many
// draws sees combinations that no scenario and no design has.
//
// The parameters of a draw name everything that was drawn, so that a recording, a story
// or a known row needs no draw. A draw depends on its number and on the scenario, and on
// nothing that a program registers.
//
//	Of                                parameters from a number
//	Cache, Client, Etcd               options of the nodes, without known bugs
//	Processes, Clients, Faults        what runs and what breaks
//
// The package must never import a scenario, properties or knownbugs.
package draws
