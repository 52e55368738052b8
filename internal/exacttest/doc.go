// Package exacttest computes exact p-values for the counts of about a hundred
// runs, by which the simulation is compared with real servers.
//
// Both tests are two-sided in Fisher's sense: the p-value is the probability of
// all outcomes that are at most as likely as the one seen. It does not
// approximate by a normal distribution: that would be wrong at the rates of the
// watch bugs, which are near 0 and 1.
package exacttest
