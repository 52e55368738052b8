# One command for each thing that a person does with a fresh clone. Go is all that
# must be installed. Continuous integration runs lint and test (.ci/run).

.PHONY: site serve site-test fleet-test test full race nightly lint tables conformance mutants lab-test upstream upstream-test etcdcache

# Modules of their own: examples of what another module brings, the cache on a real etcd, what needs real servers, what
# measures the bed itself, and the page.
MODULES := . examples shell conformance lab site

# Vet is lint's.
test:
	go test -vet=off -timeout 30m ./...
	cd examples && go test -vet=off ./...
	cd shell && go test -vet=off ./...
	cd conformance && go test -vet=off ./cmd/...
	cd site && go test -vet=off -short ./...

# Campaigns of the size on which figures rest (package internal/testsize).
full: export WATCHBED_TESTS := full
full: test

race:
	go test -race -timeout 60m ./...

nightly: lint full race conformance lab-test site-test fleet-test upstream-test

# All that is measured and written down, anew: an hour. What changed is shown at the end.
# A table that other tables show comes before them.
tables:
	@failed=; \
	write() { echo "go test $$*"; go test -count=1 -timeout 60m "$$@" || failed="$$failed $$1"; }; \
	write ./knownbugs -run 'TestKnownBugsAreDetected$$' -detection.update; \
	write ./report -run 'TestStories$$' -update; \
	write ./findings -run 'TestFindings$$' -findings.update; \
	write ./findings -run 'TestFigures$$' -figures.update; \
	write ./proofs -run 'TestProofs$$' -proofs.update; \
	write ./command -run 'TestREADMEShowsWhatSimrunPrints$$' -update; \
	$(MAKE) -C lab tables || failed="$$failed lab"; \
	git --no-pager diff --stat; \
	git ls-files --others --exclude-standard; \
	test -z "$$failed" || { echo "not written, see above:$$failed"; exit 1; }

# staticcheck is pinned, so that a new release does not turn a build red. Go fetches
# and builds it on first use.
STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.6.1

lint:
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-ed:"; gofmt -l .; exit 1; }
	@for m in $(MODULES); do (set -x; cd $$m && go vet ./... && $(STATICCHECK) ./...) || exit 1; done

# Real etcd servers, built from their published modules: minutes, not seconds. A test that cannot find its
# server fails.
conformance: export WATCHBED_SERVERS := required
conformance:
	$(MAKE) -C conformance servers test

# The code that ships, kubernetes@v0.37.2, compiled as a guest of the bed: its first time takes minutes. GUEST="NAME NAME" compiles
# others, and kubernetes@DIR or etcd@DIR a checkout.
upstream:
	$(MAKE) -C upstream guest

# All that the tests run, compiled, their tests, and vet and staticcheck of the code around it.
upstream-test:
	$(MAKE) -C upstream lint test

# How much of the code the scenarios notice when it changes. It goes on where it was
# interrupted: an hour the first time.
mutants:
	$(MAKE) -C lab mutants

# The tests of what measures the bed itself. Continuous integration vets them only.
lab-test:
	$(MAKE) -C lab test

# The bed in a browser: static files in site/dist, for any web server. The engine is compiled to WebAssembly.
SITE := $(CURDIR)/site/dist
site:
	mkdir -p $(SITE)
	cd site && GOOS=js GOARCH=wasm go build -ldflags '-s -w' -o $(SITE)/watchbed.wasm .
	gzip -9 -n -c $(SITE)/watchbed.wasm > $(SITE)/watchbed.bin && rm $(SITE)/watchbed.wasm
	cp site/page/* "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(SITE)

# The same on loopback.
serve: site
	cd site && go run . -dir $(SITE)

# The page in headless Chromium, which must be installed. WATCHBED_PICTURES=DIR keeps pictures of it.
site-test:
	cd site && WATCHBED_BROWSER=required go test -count=1 ./...

# Campaigns over many processes, which are killed while they run. Continuous integration leaves out what compiles a NATS server.
fleet-test: export WATCHBED_TESTS := full
fleet-test:
	cd fleet && go vet ./... && $(STATICCHECK) ./... && go test -count=1 -timeout 30m ./...

# Tests of etcd's own cache library, with a checkout of etcd: its module is not published. RUN and ETCD=3.5.7 choose tests and the release.
RUN := .
etcdcache:
	@test -d "$(CHECKOUT)/cache" || { echo 'CHECKOUT="$(CHECKOUT)" has no folder cache: want CHECKOUT=DIR, a checkout of etcd-io/etcd' >&2; exit 2; }
	@work=$$(mktemp -d) && trap 'rm -rf '$$work EXIT && at=$$(cd "$(CHECKOUT)" && pwd) && sed '1,2d' examples/watchcache/etcdcache_test.go >$$work/etcdcache_test.go && \
	cp go.sum $$work && here=$$PWD && cd $$work && go mod init watchcache 2>/dev/null && go mod edit -require=github.com/watchbed/watchbed@v0.0.0 -replace=github.com/watchbed/watchbed=$$here && \
	for m in cache/v3=cache api/v3=api client/v3=client/v3 client/pkg/v3=client/pkg; do go mod edit -require=go.etcd.io/etcd/$${m%=*}@v3.0.0 -replace=go.etcd.io/etcd/$${m%=*}=$$at/$${m#*=} || exit 1; done && \
	go test -mod=mod -run '$(RUN)' .
