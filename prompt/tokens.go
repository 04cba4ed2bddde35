package prompt

import (
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// TokenCounter counts the tokens of a text as a model does. Package prompt/tiktoken
// provides exact counters for OpenAI's models.
type TokenCounter = memory.TokenCounter

// TokenCounterFunc adapts a function to TokenCounter.
type TokenCounterFunc func(text string) int

// CountTokens calls the function.
func (f TokenCounterFunc) CountTokens(text string) int { return f(text) }

// Estimator is a TokenCounter that needs no encoding. It splits a text where tokenizers
// split it, and counts
//
//   - one token per three digits,
//   - one per word of up to six letters and per six more (per two in capitals
//     or before a digit, per three within a word: ids look like that),
//   - one per three punctuation marks in a row,
//   - a space with what follows it, but for digits,
//   - one per two letters of Latin with accents, Greek and Cyrillic, one per
//     letter of any other script, two to three per symbol.
//
// The rule is fitted to o200k_base, on the high side, so that a block within a budget
// by the Estimator seldom exceeds it by the exact count. TestEstimator checks the
// bounds. The zero value is ready to use.
type Estimator struct{}

var _ TokenCounter = Estimator{}

// CountTokens estimates the number of tokens of a text.
func (Estimator) CountTokens(s string) int { return plaintext.EstimateTokens(s) }
