// Package traces is what clients of a world are told, by which two programs that should behave alike are compared in small worlds.
//
//	Trace    all that the clients of a world are told
//	Told     what came on one stream, or in answer to the calls of one client
//	Random   chooses the steps of random schedules
//
// It must never import a node or what a guest is made of.
package traces
