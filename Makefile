# hostgc: `make demo` shows it at work, `make test` runs every test.
SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: build cross demo test unit deploy integration e2e soak bench lint fuzz cover clean

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
LDFLAGS := -s -w -X main.version=$(VERSION)
export CGO_ENABLED := 0

# Tools and downloads that are not the product, outside of what git tracks.
CACHE := $(CURDIR)/.cache
GOLANGCI_VERSION := v2.15.0
GOLANGCI := $(CACHE)/golangci-lint-$(GOLANGCI_VERSION)

build: ## build bin/hostgc, static
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/hostgc ./cmd/hostgc

cross: ## build for each architecture that is released
	for arch in amd64 arm64; do GOARCH=$$arch go build -trimpath -ldflags '$(LDFLAGS)' -o bin/hostgc-$$arch ./cmd/hostgc || exit 1; done

demo: build ## scan, explain and sweep a copy of a recorded real node
	./hack/demo.sh

test: unit deploy integration ## everything but a whole Kubernetes node

unit: ## unit, property and real-kernel tests, with the race detector where there is a C compiler
	go vet ./...
	@if command -v gcc >/dev/null; then echo 'CGO_ENABLED=1 go test -race ./...'; CGO_ENABLED=1 go test -race ./...; \
	else echo 'NO C COMPILER: tests run without the race detector'; go test ./...; fi

deploy: ## chart, manifests, alerts, dashboard, image, documentation
	$(MAKE) -C deploy test

integration: build ## hostgc against a real containerd and Multus, built from Go modules; needs root
	$(MAKE) -C e2e containerd HOSTGC_BIN=$(CURDIR)/bin/hostgc

e2e: build ## the same against a whole real Kubernetes node; K8S=1.34.4 and the like choose versions
	$(MAKE) -C e2e all HOSTGC_BIN=$(CURDIR)/bin/hostgc

soak: build ## churn with chaos on a whole node for DURATION=4h; SEED= repeats a run's schedule
	$(MAKE) -C e2e soak HOSTGC_BIN=$(CURDIR)/bin/hostgc

N ?= 10000
BENCH_FLAGS ?=
bench: build ## hostgc beside the floor of system calls; N=10000,100000,1000000 as root takes an hour
	go build -o bin/bench ./bench && go build -o bin/floor ./bench/floor
	mkdir -p $(CACHE)/bench && bin/bench -dir $(CACHE)/bench -n $(N) $(BENCH_FLAGS)

lint: $(GOLANGCI) ## golangci-lint with our rules
	$(GOLANGCI) run ./...

$(GOLANGCI):
	GOBIN=$(CACHE)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv $(CACHE)/bin/golangci-lint $@

FUZZTIME ?= 20s
fuzz: ## every fuzz target for FUZZTIME
	./hack/fuzz.sh $(FUZZTIME)

cover: ## coverage of the pure core and the kinds, which must be complete
	./hack/cover.sh

clean:
	rm -rf bin .cache
