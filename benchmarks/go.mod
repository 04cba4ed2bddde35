module github.com/go-workingmemory/workingmemory/benchmarks

go 1.26.0

require (
	github.com/go-workingmemory/workingmemory v0.0.0
	github.com/hashicorp/golang-lru/v2 v2.0.7
	github.com/maypok86/otter/v2 v2.3.0
	github.com/stretchr/testify v1.12.1
	github.com/tmc/langchaingo v0.1.14
)

require (
	github.com/dlclark/regexp2 v1.10.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/pkoukk/tiktoken-go v0.1.8 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)

replace github.com/go-workingmemory/workingmemory => ../
