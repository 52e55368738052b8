// Package flowcontrol holds the known bugs of API Priority and Fairness in front of a
// cache, one file each: what it changes, and where it shows. What it changes is registered
// as a value of a seam of sim/cache/flowcontrol.
//
// The package must never import diagnosis, report or a command.
package flowcontrol
