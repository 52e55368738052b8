// Package campaign (unstable) runs many seeds of a subject on several workers and adds up what they
// showed.
//
// Everything in a Result but its times is a function of the subject, the strategy
// and the seeds: it does not depend on the number of workers or on the machine.
// A share of the seeds is run twice to see that this is so.
//
// This is the only package of explore that has goroutines and a wall clock. It
// imports explore, explore/strategy and sim. It must never import explore/recording
// or anything that knows etcd.
package campaign
