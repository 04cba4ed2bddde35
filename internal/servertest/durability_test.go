package servertest

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
)

// An operator learns from the log and from the probe whether a Redis keeps what was acknowledged.
func TestDurabilityOfRedis(t *testing.T) {
	t.Parallel()
	for level, c := range map[string]struct {
		settings []string
		log      string
	}{
		"none":    {[]string{"--appendonly", "no"}, `level=WARN msg="a crash of the store loses all acknowledged writes" of=sessions store=redis://`},
		"delayed": {[]string{"--appendonly", "yes"}, `level=WARN msg="a crash of the store loses the last acknowledged writes" of=sessions store=redis://`},
		"synced":  {nil, `level=INFO msg="acknowledged writes are on disk" of=sessions store=redis://`},
		"unknown": {[]string{"--appendonly", "yes", "--rename-command", "CONFIG", ""}, `level=INFO msg="durability is unknown: the store does not report it" of=sessions store=redis://`},
	} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			p := start(t, settings{store: servers.StartRedis(t, c.settings...).URL(), index: "memory:", args: estimate})
			assert.Contains(t, p.logs.String(), c.log)
			assert.Contains(t, p.logs.String(), `level=WARN msg="a crash of the store loses all acknowledged writes" of="long-term memory" store=memory: durability=none`)
			ready := call(t, p).get("/v1/ready").ok()
			assert.Equal(t, "ok", ready.at("status"))
			assert.Equal(t, map[string]any{"sessions": level, "long_term_memory": "none"}, ready.at("durability"))
		})
	}
}
