module github.com/watchbed/watchbed/upstream/guest

go 1.26.0
