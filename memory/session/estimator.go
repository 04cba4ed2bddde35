package session

import "github.com/go-workingmemory/workingmemory/internal/plaintext"

type estimator struct{}

func (estimator) CountTokens(text string) int { return plaintext.EstimateTokens(text) }
