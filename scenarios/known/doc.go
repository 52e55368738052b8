// Package known (unstable) says what is known to be violated, as a table of rows: when these
// conditions hold, these properties are violated, because of this. A scenario has rows of its own
// (testbed.Scenario.Known), and Rows adds those of every scenario.
//
//	design, etcd, circumstance   conditions: traits of a design, behaviours of etcd
//	                             and its client library, what a scenario does
//	early, stale, resumed ...    groups of rows that scenarios share
//	general                      rows of every scenario
//	planted                      rows about bugs that can be planted
//	rows, outcome                the table of a scenario, and a campaign beside it
//
// A condition looks at what the parameters come to (testbed.Setup), and never at the
// name of a version, a design or a bug.
//
// The package must never import scenarios, knownbugs or a command.
package known
