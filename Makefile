# One command for each thing that a person does with a fresh clone. Go is all that
# must be installed. Continuous integration runs lint and test (.ci/run).

.PHONY: test race lint conformance mutants

# Modules of their own: examples of what another module brings, and what needs real etcd.
MODULES := . examples conformance

test:
	go test -timeout 20m ./...
	cd examples && go test ./...

race:
	go test -race -timeout 60m ./...

# staticcheck is pinned, so that a new release does not turn a build red. Go fetches
# and builds it on first use.
STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.6.1

lint:
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-ed:"; gofmt -l .; exit 1; }
	@for m in $(MODULES); do (set -x; cd $$m && go vet ./... && $(STATICCHECK) ./...) || exit 1; done

# Real etcd servers, built from their published modules: minutes, not seconds.
conformance:
	$(MAKE) -C conformance servers test

# How much of the code the scenarios notice when it changes. It goes on where it was
# interrupted, and writes internal/mutants/survivors.md: an hour the first time.
mutants:
	go run ./internal/mutants/cmd/mutants
