// Package disk is the file system of a member. The member's process reads and writes it, and the end of the
// process, or of the machine, leaves a part of it.
//
//	Disk      files and directories, the descriptors of the process, and what is not durable yet
//	Kill      the process ends: all that it has written is there
//	PowerLoss the machine ends: what was synced is there, and of the rest what is chosen
//	faults    a disk that is full, fails, does not come to an end with its syncs, or forgets a bit
//
// The contents of a file are pages that never change, so that a clone of a disk shares them, and each write that is not
// durable knows the contents behind it. A disk is a function of what is done with it: there is no clock, and no map.
package disk
