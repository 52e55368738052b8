module github.com/watchbed/watchbed/upstream/protocol

go 1.26.0
