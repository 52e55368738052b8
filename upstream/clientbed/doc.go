// Package clientbed has a user's own Go package judged: processes that have a key-value store of it (clientguest, clientnode), in front of one
// simulated etcd, with clients that get, put and delete keys, and a network that is slow and broken for some time. What clients were
// answered is judged by package linearizability.
//
// Runs are timed: a process cannot know that its lease has expired unless time means something.
package clientbed
