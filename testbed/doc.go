// Package testbed puts a simulated etcd, API servers with their client libraries
// and caches, and clients together in one world, and judges what the clients were
// told.
//
//	Scenario   what runs, what may break, and what must hold: an entry of the catalogue
//	Params     the parameters of a run: every option, in groups
//	Nodes      the options of etcd, the client library and the cache that they come to
//	System     a scenario with its parameters, ready to run; it implements explore.Subject
//	Property   what must hold, and how a run is judged
//	Tally      how often a property was exercised, and its first violation
//	Row        what is known: under these conditions these properties are violated
//	Shared     what several properties look at together
//
// Scenarios and properties are registered, by the packages scenarios and
// properties in the same way as by a module of your own (RegisterScenario,
// RegisterProperty). To try other parameters, start from FindScenario, change its
// Params, and call New; campaign.Run does the rest.
//
// Parts stand in packages of their own: topology (nodes, their order and names),
// plans (what each client does), faults (what may break), truth (the committed
// writes, replayed), memory (bytes that API servers keep).
//
// The package must never import properties, scenarios, report or a command.
package testbed
