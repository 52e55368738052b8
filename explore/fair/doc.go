// Package fair says what a fair schedule owes a turn: what a world that goes on for ever cannot
// put off for ever. Fairness is strong: what is enabled again and again happens again and again,
// since Go's select takes one of the ready cases at random.
//
// Messages, loops and timers get their turn. A fault need not strike. A deadline
// (sim.Deadlines) need not pass: what never comes is looked for in worlds in which waiting
// does not end by giving up.
//
// The package imports sim only.
package fair
