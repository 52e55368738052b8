// Package cputime says how much processor time this process has used. What other programs take of a
// busy machine is not in it. It must never be imported by what is simulated.
package cputime
