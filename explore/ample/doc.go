// Package ample chooses, out of a state of a search, steps that stand for all.
//
// Which steps there are in a state, and what they do, is not known ahead: a thread (a loop, a timer, or what hands over
// messages between two nodes) is known by what it has touched in all steps that the search has looked at, and is taken
// never to touch anything else. The search starts over when one does on which it has relied. So Stoller and Cohen do with
// what is taken to be locked or exclusive (Optimistic synchronization-based state-space reduction, TACAS 2003). What is
// taken for granted here is less: not that a cell has one owner, but that no thread outside of a set conflicts with what is
// to come first inside it.
//
//	Threads  what the search has seen of threads, and relied on
//	Touched  what steps touch, each once
//	Chooser  the choice in one state
//	Seen     what a worker has seen meanwhile
//
// A set is a stubborn set (Valmari 1989; Godefroid 1996): it has a thread that has a step; with one that has a step each
// that conflicts with this step, and with one that has none those that could give it one. Threads that nothing can give a
// step any more are left out: those of a client that is done.
//
// # Why it is right
//
// Let A be the threads that were chosen in a state s. Each schedule w from s is then among those that the search takes,
// but for the order of steps that do not conflict, and for steps of A put before it:
//
//   - If w has a step of A, let a be the first one. No step before it conflicts with it or has made it possible, so a can
//     come first, and what remains is shorter. If w has none, any a of A can come first, and w is possible behind it.
//   - This ends (C3 of Clarke, Grumberg and Peled, Model Checking, 1999), because one step of A at least leads to a state
//     that belongs to the next layer: the proviso of the queue (Bosnacki, Leue and Lluch-Lafuente, Partial-order reduction for
//     general state exploring algorithms, STTT 2009). If none does, all steps are taken out of s.
//   - In place of C2, that the steps of A are invisible, all steps that judges see conflict with each other (Reducible). So
//     they come in the order of w, and what judges see of each is the same. A step that ends the run is in no set but that
//     of all: behind it nothing is looked at.
//   - That no thread outside A ever conflicts (C1) is only taken for granted. Let u be the first step of any schedule w of the
//     whole graph that touches what its thread was never seen to touch. By the two steps above the search comes to a state
//     in which the same steps lead to u, with steps of chosen sets before them. There u does the same up to the first cell
//     that one of these has changed or that it changes itself, and touches that cell, so that the search has seen it: both
//     have it among what they touched. Then it would have been in A, or the search has started over.
//
// The last one wants that a step declares a cell before it depends on it (sim.Cell); tests swap steps for that. It also wants
// cells that states agree on which are taken for one. The numbers of connections differ in such states, so that connections go
// by their ends here (sim.World.NameByEnds); of one that has several connections between the same ends any thread that sends
// there belongs to the set, and so does each that may open one.
//
// It must never import explore, or what is simulated.
package ample
