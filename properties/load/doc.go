// Package load judges what many requests at a time do to API servers: the memory that they
// take, and the warnings that there were.
//
// The package must never import scenarios.
package load
