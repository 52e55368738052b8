// Package mention finds what speaks of a word or of the number of an issue: the scenarios, designs, bugs and options in whose texts it
// is. It is for words that are no names; those are explained by package explain.
//
// The package must never import package command, or read flags.
package mention
