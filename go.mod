module github.com/watchbed/watchbed

go 1.26

require github.com/google/btree v1.1.3
