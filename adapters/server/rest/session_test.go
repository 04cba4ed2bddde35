package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHealthAndReadiness(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens)
	assert.Equal(t, map[string]any{"now": float64(s.clock.Now().UnixMilli())}, s.do("GET", "/v1/health", "").is(200))
	assert.Equal(t, map[string]any{"status": "ok"}, s.do("GET", "/v1/ready", "").is(200))
}
