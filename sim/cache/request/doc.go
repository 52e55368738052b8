// Package request (unstable) is what the API makes of a LIST or a GET before
// any storage sees it: it validates the options and reads continue tokens.
//
// The package must never import sim/cache or a package below it but store.
package request
