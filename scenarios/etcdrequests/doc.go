// Package etcdrequests has scenarios of clients that ask etcd itself, of which no cache is
// judged: what etcd answers while it has no leader or lags behind, and which requests are too
// large for it.
//
// The package must never import package scenarios, which has its scenarios in the catalogue.
package etcdrequests
