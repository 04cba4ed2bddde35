// Package layering holds the test that keeps imports running one way:
//
//	memory ← extractor, prompt ← middleware ← adapters ← cmd, examples
package layering
