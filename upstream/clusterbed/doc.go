// Package clusterbed has released etcd judged as a cluster: members that are whole servers (clusterguest, clusternode),
// clients that read, write and watch at any of them, and machines that are killed, lose power, stall and are cut off
// from each other.
//
// What clients were answered and sent is judged by package check, as a recorded history is: nothing is known of the
// members but what they say. When nothing breaks any more, an auditor asks each of them to read, to write, and for the
// hash of its data.
//
// An operator moves the leader, defragments, and changes the members, which are added on machines that had none,
// promoted, removed and replaced. An observer asks members what they say of themselves.
//
// Runs are timed: elections and leases mean nothing without time.
package clusterbed
