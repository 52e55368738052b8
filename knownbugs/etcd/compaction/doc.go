// Package compaction holds the known bugs of etcd's compactions, one file each, as package
// etcd does.
//
// The package must never import diagnosis, report or a command.
package compaction
