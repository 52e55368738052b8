// Package sim (unstable) is the world: nodes that exchange messages, timers, faults and a
// virtual clock. The package that uses a world advances it, one action at a time.
//
// A node is a state machine without I/O. It is handed a message, a timer or one
// of its own loops, changes its state, and asks its Env for messages, timers
// and loops in return. At each point the world offers the list of what can
// happen next, in a stable order (Enabled); a Chooser picks. What the original
// leaves open inside one step is a Choose. The picks and the choices are the
// run: the same ones give the same trace hash on every machine.
//
//	lane    one direction of a connection: messages in it keep their order
//	conn    a gRPC stream or one unary call: two lanes
//	task    a loop of a node that has something to do
//	timer   fires at any time when untimed, at its time when timed
//	fault   something that breaks, as often as its budget allows
//	parts   what a world consists of, and is put together from
//
// Simulated code (this package and everything below it) has no goroutine,
// channel, mutex, wall clock, global random source or map iteration; a test in
// this package reads the source and fails otherwise. The package must never
// import any other package of this module but metric: it does not know what
// a message says.
package sim
