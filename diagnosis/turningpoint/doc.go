// Package turningpoint (unstable) finds where a recorded run could still have passed: the step after
// which all random continuations fail that are tried, how many of them fail before it, and the
// nearest schedule that passes, which is the one that leaves the recorded one latest: for one
// choice if there is such a one, else for good.
//
// It is for violations of which no known cause is found. It knows steps and verdicts
// only, and must never import package flip, package story or package report.
package turningpoint
