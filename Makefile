# Every target runs in every module of the repository: the root and, where
# there are any, the modules of adapters with dependencies of their own.

GO        ?= go
MODULES   := $(sort $(shell find . -name go.mod -exec dirname {} \;))
# SQLite is C translated to Go. Instrumented for the race detector it is ten times slower, and
# races of this module show without that.
DETECT    := -race -gcflags=modernc.org/...=-race=false
# The race detector needs cgo; where no C compiler is, tests run without it.
RACE      := $(shell [ "$$($(GO) env CGO_ENABLED)" = 1 ] && echo '$(DETECT)')
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
TRACES    ?= $(wildcard ../shared/traces/*.jsonl ../shared/traces/*/*.jsonl)
DATASETS  ?= $(wildcard ../shared/longterm/*.json)
# Figures of other traces than the default are not published.
PUBLISH   := $(filter file,$(origin TRACES))
FUZZTIME  ?= 10s
# Random histories that soak tries of each property; test tries 100 or fewer.
CHECKS    ?= 5000
COUNT     ?= 6
BENCH     ?= .
BENCHTIME ?= 1s
LOADTIME  ?= 60s
# Packages whose tests use the servers: test has run the others.
SERVED    := ./adapters/store/redisstore ./adapters/store/postgresstore
EXAMPLES  := $(sort $(dir $(wildcard examples/*/main.go examples/frameworks/*/main.go)))

each = @set -e; for m in $(MODULES); do echo "== $$m: $(1)"; (cd $$m && $(1)); done

need_servers = [ -n "$$WORKINGMEMORY_TEST_REDIS" ] || { echo "WORKINGMEMORY_TEST_REDIS is not set (redis://host:port/db)"; exit 1; }; \
  [ -n "$$WORKINGMEMORY_TEST_POSTGRES" ] || { echo "WORKINGMEMORY_TEST_POSTGRES is not set (postgres://user@host/db)"; exit 1; }

# with lists the directories of the packages of a module whose tests have functions named so:
# no others are built to run these.
with = $$(grep -l '^func $(1)' $$($(GO) list -f '{{range .TestGoFiles}}{{$$.Dir}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$$.Dir}}/{{.}} {{end}}' ./...) | xargs -n 1 dirname | sort -u)

# testing lists the packages whose own tests import a package.
testing = $$($(GO) list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... | grep -F '$(1)' | cut -d ' ' -f 1)

.DEFAULT_GOAL := help
.PHONY: help build test test-integration race soak fuzz bench load bench-python eval lint fmt examples

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

build: ## Build everything
	$(call each,$(GO) build ./...)

# lint runs all of vet, so test leaves its part out; -w makes linking faster.
TESTFLAGS := -vet=off -ldflags=-w -shuffle=on

test: ## Run the tests; needs no server and no network (race detector on where cgo is)
	$(call each,$(GO) test $(RACE) $(TESTFLAGS) ./...)

race: ## Run the tests with the race detector, without cached results
	$(call each,$(GO) test $(DETECT) $(TESTFLAGS) -count=1 ./...)

# WORKINGMEMORY_TEST_PGVECTOR, where it is set, names a PostgreSQL that has the extension
# vector: one more test runs on it.
test-integration: ## Run the tests against Redis and PostgreSQL: needs WORKINGMEMORY_TEST_REDIS and WORKINGMEMORY_TEST_POSTGRES
	@$(need_servers)
	$(GO) test $(RACE) $(TESTFLAGS) -count=1 -timeout 30m $(SERVED)

# Crashes and processes run without the race detector, which would take most of the time.
soak: ## Run crash, process, random and fuzz tests at full size; test and test-integration run them reduced
	WORKINGMEMORY_TEST_SOAK=1 $(GO) test $(TESTFLAGS) -count=1 -timeout 3h ./...
	WORKINGMEMORY_TEST_SOAK=1 $(GO) test $(RACE) $(TESTFLAGS) -count=1 -timeout 3h $(call testing,pgregory.net/rapid) -rapid.checks=$(CHECKS)
	$(MAKE) fuzz FUZZTIME=60s

# Each package is built once for all its targets, and keeps the inputs that it finds where
# go test does. Only this module is instrumented for coverage, which guides the inputs to its
# branches and leaves its dependencies as they are built already.
fuzz: ## Run every fuzz target for FUZZTIME (default 10s; 10000x for a number of inputs)
	@set -e; built=$$(mktemp -d); trap 'rm -rf "$$built"' EXIT; found=$$($(GO) env GOCACHE)/fuzz; \
	for p in $(call with,Fuzz); do \
	  $(GO) test -c -gcflags="$$($(GO) list -m)/...=-d=libfuzzer" -ldflags=-w -o "$$built/test" $$p; \
	  for f in $$("$$built/test" -test.list '^Fuzz'); do \
	    echo "== $$p $$f ($(FUZZTIME))"; \
	    (cd $$p && "$$built/test" -test.run '^$$' -test.fuzz "^$$f\$$" -test.fuzztime $(FUZZTIME) \
	      -test.fuzzminimizetime 10x -test.fuzzcachedir "$$found/$$($(GO) list .)"); \
	  done; done

bench: ## Run the benchmarks COUNT times (default 6), for benchstat; BENCH selects by regexp
	@set -e; for m in $(MODULES); do (cd $$m; found=$(call with,Benchmark); [ -z "$$found" ] || \
	  $(GO) test -run '^$$' -bench '$(BENCH)' -benchtime=$(BENCHTIME) -benchmem -count=$(COUNT) $$found); done

load: ## Append from 64 clients for LOADTIME (default 60s) with each store, then with each restarted; needs what test-integration does
	@$(need_servers)
	WORKINGMEMORY_TEST_LOAD=$(LOADTIME) $(GO) test -count=1 -timeout 30m -v -run '^TestLoad$$' ./internal/servertest

bench-python: ## Time the queue beside one on a plain Python list, on this machine
	python3 internal/pythonqueue/compare.py $(COUNT)

# A row for each set; the long tables and the plot for the two of τ-bench, or for TRACES that are given.
LONG := $(if $(PUBLISH),$(filter %/tau-airline-gpt4o.jsonl %/tau-retail-gold.jsonl,$(TRACES)),$(TRACES))
eval: ## Measure search, also on DATASETS, and reference survival on TRACES; the default's figures go into docs/evaluation.*
	$(GO) run ./cmd/wmem recall $(if $(PUBLISH),--markdown docs/evaluation.md)
	@set -e; for file in $(DATASETS); do (set -x; $(GO) run ./cmd/wmem recall --dataset $$file $(if $(PUBLISH),--markdown docs/evaluation.md)); done
	@[ -n "$(TRACES)" ] || { echo "no traces: make eval TRACES='file.jsonl …'"; exit 1; }
	$(GO) run ./cmd/wmem eval --summary --encoding chars/4 $(if $(PUBLISH),--markdown docs/evaluation.md) $(TRACES)
	$(GO) run ./cmd/wmem eval --summary --encoding o200k_base $(if $(PUBLISH),--markdown docs/evaluation.md) $(TRACES)
	$(GO) run ./cmd/wmem eval --summary --handles --prefix --encoding o200k_base $(if $(PUBLISH),--markdown docs/evaluation.md) $(TRACES)
	$(GO) run ./cmd/wmem eval --summary --offload 1000,2000,8000 --encoding o200k_base $(if $(PUBLISH),--markdown docs/evaluation.md) $(TRACES)
	$(GO) run ./cmd/wmem eval --encoding chars/4 $(if $(PUBLISH),--plot docs/evaluation.svg --markdown docs/evaluation.md) $(LONG)
	$(GO) run ./cmd/wmem eval --encoding o200k_base --prefix $(if $(PUBLISH),--markdown docs/evaluation.md) $(LONG)

lint: ## Check formatting, vet, staticcheck, import direction and go.mod
	@files=$$(gofmt -l .); [ -z "$$files" ] || { echo "not gofmt-clean:"; echo "$$files"; exit 1; }
	$(call each,$(GO) vet ./...)
	$(call each,$(GO) run $(STATICCHECK) ./...)
	$(call each,$(GO) mod tidy -diff)
	$(GO) test -count=1 ./internal/layering

fmt: ## Format the code
	gofmt -w .

examples: ## Run every example
	@set -e; for e in $(EXAMPLES); do echo "== $$e"; (cd $$e && $(GO) run .); done
