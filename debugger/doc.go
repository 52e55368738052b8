// Package debugger (unstable) opens a run by its link and goes through it step by step: what happened, what the nodes
// held, how the claims stood, what else could have happened, and what becomes of the run then. It has one operation for
// each question, with JSON on both sides (Call), and no state but the runs that it opened last: a page and an editor ask
// the same.
package debugger
