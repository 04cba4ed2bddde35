package tiktoken

import (
	"compress/gzip"
	"embed"
	"io"
)

// rankFiles holds the ranks of the encodings in the form that ranks/pack.go writes: for each rank
// from 0, the length of its token in one byte and the token's bytes.
//
//go:embed ranks/*.gz
var rankFiles embed.FS

// readRanks returns the first n ranks of a file, by token.
func readRanks(file string, n int) (map[string]int, error) {
	compressed, err := rankFiles.Open("ranks/" + file + ".gz")
	if err != nil {
		return nil, err
	}
	defer compressed.Close()
	r, err := gzip.NewReader(compressed)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r) // gzip verifies a checksum
	if err != nil {
		return nil, err
	}
	ranks := make(map[string]int, n)
	packed := string(data)
	for rank := 0; rank < n && packed != ""; rank++ {
		end := 1 + int(packed[0])
		if token := packed[1:end]; token != "" {
			ranks[token] = rank
		}
		packed = packed[end:]
	}
	return ranks, nil
}
