//go:build ignore

// Pack writes files of ranks, as OpenAI publishes them, in the form that package tiktoken embeds:
//
//	go run pack.go o200k_base.tiktoken cl100k_base.tiktoken p50k_base.tiktoken
//
// A published file has one line per token, its bytes in base64 and its rank. A packed file has,
// for each rank from 0, the length of its token in one byte and the token's bytes, compressed by
// gzip. A rank without a token has length 0.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := pack(path); err != nil {
			log.Fatalf("%s: %v", path, err)
		}
	}
}

func pack(path string) error {
	published, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid
	next := 0
	for lines := bufio.NewScanner(bytes.NewReader(published)); lines.Scan(); next++ {
		var encoded string
		var rank int
		if _, err := fmt.Sscan(lines.Text(), &encoded, &rank); err != nil {
			return err
		}
		token, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(token) == 0 || len(token) > 255 || rank < next {
			return fmt.Errorf("rank %d: unexpected token %q: %v", rank, token, err)
		}
		for ; next < rank; next++ {
			w.Write([]byte{0})
		}
		w.Write(append([]byte{byte(len(token))}, token...))
	}
	if err := w.Close(); err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".tiktoken") + ".gz"
	return os.WriteFile(name, packed.Bytes(), 0o644)
}
