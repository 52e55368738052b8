// Package largehistory makes histories of any size that hold: what clients of one etcd that
// has no bug would have recorded. The time and the memory that judging takes are measured
// with them, so that they have what real ones have: clients that overlap in time, puts,
// deletes, transactions as Kubernetes writes objects with, lists of a namespace, watches that
// are resumed, answers of a member that lags, and writes of unknown outcome.
//
// A history is a function of its size. It is made with package model, which answers by
// carrying out one request at a time.
//
// The package imports model only, and only tests import it. It must never import a judge.
package largehistory
