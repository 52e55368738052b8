// Package native runs the storage that guests are made of (package apiserver) as an ordinary Go program: without
// WebAssembly and without a change of the Go distribution, in a bubble of testing/synctest. It is a second opinion on
// the engine: where goroutines are scheduled by the runtime that ships, verdicts have to be about as frequent as where
// the bed picks them.
//
//	Guest     a run of the storage: Run takes it from one idle point to the next, as that of package engine
//	bubble    when all of its goroutines wait, and for which time
//	outside   its host: messages, and what it reads of the cacher
//
// The bed still decides which message comes when, and what time it is. Which goroutine runs next it does not: runs
// cannot be repeated, cloned, searched or shrunk, and what the package says is statistics. It must never be imported by
// what is simulated, nor by a program of the user's, and registers no design.
package native
