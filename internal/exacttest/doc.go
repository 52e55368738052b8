// Package exacttest tells how surprising a count is, exactly, for the counts
// of a hundred runs or so by which the simulation is compared with real servers.
//
// Both tests are two-sided in Fisher's sense: the p-value is the probability of
// all outcomes that are at most as likely as the one seen. No approximation by
// a normal distribution is involved; with rates near 0 and 1, where the watch
// bugs live, it would be wrong.
package exacttest
