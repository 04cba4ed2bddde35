// Package readme holds the test that keeps the README's snippets true.
package readme
