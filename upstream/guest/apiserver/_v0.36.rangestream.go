package apiserver

import "github.com/watchbed/watchbed/upstream/protocol"

// rangeStreams: the client library of the release knows no Ranges that etcd streams.
type rangeStreams struct{}

func (rangeStreams) end(uint32, error)                {}
func (rangeStreams) leave(uint32)                     {}
func (rangeStreams) deliver(uint32, *protocol.Reader) {}
