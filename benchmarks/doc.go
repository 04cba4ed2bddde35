// Package benchmarks compares the containers of working memory, and the sessions it
// stores, with those of other libraries. It is a module of its own, so that nobody
// else depends on them.
//
//	go test -run '^$' -bench . -benchmem ./...
//
// What is compared takes turns in one benchmark, some operations each, so that
// whatever else the machine does falls on all of them. The times of the others
// are metrics of the benchmark (lru-ns/op), and so are ratios (x-lru: how many
// times as long the other takes).
package benchmarks
