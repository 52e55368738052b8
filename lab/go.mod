module github.com/watchbed/watchbed/lab

go 1.26.0

require (
	github.com/stretchr/testify v1.12.1
	github.com/watchbed/watchbed v0.0.0
	golang.org/x/mod v0.41.0
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/google/btree v1.1.3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/watchbed/watchbed => ../
