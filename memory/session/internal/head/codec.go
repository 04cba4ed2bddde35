package head

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/internal/jsonnumbers"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// encoded is the JSON of a head.
type encoded struct {
	CreatedAt    time.Time              `json:"created_at"`
	LastAccessed time.Time              `json:"last_accessed,omitzero"`
	Context      string                 `json:"context,omitempty"`
	Entities     jsontext.Value         `json:"entities,omitempty"`
	Handles      jsontext.Value         `json:"handles,omitempty"`
	Memories     []driver.Record        `json:"memories,omitempty"`
	Data         map[string]any         `json:"data,omitempty"`
	Strategy     *driver.StrategyConfig `json:"long_term_memory_strategy,omitempty"`
	TTLMillis    int64                  `json:"ttl_ms,omitzero"`
	// ReportedTokens is the count of a client, and of the summaries since.
	ReportedTokens int64 `json:"tokens,omitzero"`
	// Lease is when the lease of a running summary expires.
	Lease time.Time `json:"lease,omitzero"`
	// SummaryFailed is when the last summary failed. It is zero after one that succeeded.
	SummaryFailed time.Time `json:"summary_failed,omitzero"`
	Progress      Promotion `json:"progress,omitzero"`
}

// Encode returns a head as JSON.
func (h *Head) Encode() ([]byte, error) {
	if len(h.Context) > memory.MaxStateBytes {
		return nil, tooLarge(len(h.Context))
	}
	e := encoded{
		CreatedAt: h.CreatedAt.UTC(), LastAccessed: h.LastAccessed.UTC(), Context: h.Context, Memories: h.Memories,
		Data: h.Data, Strategy: h.Strategy, TTLMillis: milliseconds(h.TTL),
		ReportedTokens: h.ReportedTokens, Lease: h.SummaryLease.UTC(),
		SummaryFailed: h.SummaryFailed.UTC(), Progress: h.Promotion,
	}
	if h.Entities != nil && h.Entities.Len() > 0 {
		entities, err := h.Entities.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("session: writing entities: %w", err)
		}
		e.Entities = entities
	}
	if !h.Handles.IsEmpty() {
		e.Handles, _ = h.Handles.MarshalJSON() // never fails
	}
	data, err := json.Marshal(&e, json.Deterministic(true), jsonnumbers.Out())
	if err != nil {
		return nil, fmt.Errorf("session: writing the head: %w", withoutContent(err))
	}
	if len(data) > memory.MaxStateBytes {
		return nil, tooLarge(len(data))
	}
	return data, nil
}

func tooLarge(size int) error {
	return fmt.Errorf("session: writing the head: %w: %d bytes are more than the limit of %d", driver.ErrTooLarge, size, memory.MaxStateBytes)
}

// milliseconds returns a duration in milliseconds, rounded up.
func milliseconds(d time.Duration) int64 {
	full := d / time.Millisecond
	if d > full*time.Millisecond && int64(full) < maxMillis {
		full++
	}
	return int64(full)
}

const maxMillis = math.MaxInt64 / int64(time.Millisecond)

// decode reads the JSON of a head at h.At into h.
func (h *Head) decode(data []byte) error {
	var e encoded
	if err := json.Unmarshal(data, &e, json.RejectUnknownMembers(true), jsonnumbers.In()); err != nil {
		return withoutContent(err)
	}
	if e.CreatedAt.IsZero() {
		return errors.New("no created_at")
	}
	if e.TTLMillis < 0 || e.TTLMillis > maxMillis {
		return errors.New("ttl_ms is out of range")
	}
	if err := e.Progress.check(h.At); err != nil {
		return err
	}
	if len(e.Entities) > 0 {
		if err := h.Entities.UnmarshalJSON(e.Entities); err != nil {
			return err
		}
	}
	if len(e.Handles) > 0 {
		if err := h.Handles.UnmarshalJSON(e.Handles); err != nil {
			return err
		}
	}
	h.Encoded, h.CreatedAt, h.LastAccessed, h.Context, h.Memories = data, e.CreatedAt, e.LastAccessed, e.Context, e.Memories
	h.Data, h.Strategy, h.TTL = e.Data, e.Strategy, time.Duration(e.TTLMillis)*time.Millisecond
	h.ReportedTokens, h.SummaryLease, h.SummaryFailed, h.Promotion = e.ReportedTokens, e.Lease, e.SummaryFailed, e.Progress
	return nil
}
