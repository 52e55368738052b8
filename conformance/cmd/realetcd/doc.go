// Realetcd speaks to running servers, etcd or other stores that speak its API. "realetcd --help" says how.
//
// Conform asks a server which of etcd's promises it keeps, and whether a Kubernetes watch cache is safe on it.
// Concurrent clients and watches are recorded, and their histories judged as simrun check judges them. What a single
// client can see is asked by probes, one for each promise. What is expected is what etcd documents: no node of the
// simulation answers.
//
// Record is a gRPC proxy before a server. It passes on each message as it is, and writes what clients ask and are
// answered as a history for simrun check.
package main
