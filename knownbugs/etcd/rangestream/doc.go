// Package rangestream is about bugs that an etcd could easily have in the answer to a
// RangeStream: its chunks are read transactions of their own, and have to be one state
// (KEP-5966).
package rangestream
