# One command each for what a person does with a fresh clone. Go is the only
# thing that has to be installed.

.PHONY: test race lint conformance

# What continuous integration runs.
test:
	go test -timeout 20m ./...

race:
	go test -race -timeout 60m ./...

# staticcheck is pinned, so that a new release does not turn a build red.
lint:
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-ed:"; gofmt -l .; exit 1; }
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.6.1 ./...

# Real etcd servers, built from their published modules: minutes, not seconds.
conformance:
	$(MAKE) -C conformance servers test
