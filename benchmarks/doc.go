// Package benchmarks compares the containers and the stored sessions of working memory with those of
// other libraries. It is a separate module, so that no other module depends on these libraries.
//
//	go test -run '^$' -bench . -benchmem ./...
//
// Each benchmark alternates between the implementations that it compares, so that other load on the
// machine affects all of them. The times of the other implementations are metrics of the benchmark
// (lru-ns/op), and so are the ratios (x-lru: how many times as long the other takes).
package benchmarks
