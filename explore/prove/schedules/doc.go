// Package schedules (unstable) searches every schedule of a subject within bounds, by one schedule
// of each class.
//
// Two schedules are of one class if the one becomes the other by swapping adjacent steps that
// do not conflict (sim.Footprint): they end in the same state with the same history. The search
// keeps no states. It goes along a schedule to its end, where the subject judges the whole
// history, and back from it. Where two steps of the schedule conflict and could have come the
// other way round, that is tried too: dynamic partial order reduction (Flanagan and Godefroid,
// POPL 2005) with source sets and sleep sets (Abdulla et al., POPL 2014).
//
//	Search   one schedule of each class
//	Result   what was covered
//	Path     the schedule that fails, as a chooser
//	Walk     single schedules, and of how many classes they are
//
// What it finds must be what package prove finds by a search over states, which shares nothing
// with it but the subject.
//
// A schedule goes on until nothing can happen, also when the subject says that the run is over:
// a step that ended the run would conflict with all others.
//
// The package imports explore, explore/prove, sim and model. It must never import
// what is simulated.
package schedules
