// Conform asks a running server, etcd or another store that speaks its API, which of etcd's promises it keeps, and says
// whether a Kubernetes watch cache is safe on it. "conform --help" says how.
//
// Concurrent clients and watches are recorded, and their histories judged as simrun check judges them. What a single
// client can see is asked by probes, one for each promise. What is expected is what etcd documents: no node of the
// simulation answers.
package main
