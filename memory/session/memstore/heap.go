package memstore

import (
	"container/heap"
	"slices"
)

// sessionHeap is a heap of sessions of a shard. Each session knows its slot, so that it can
// be moved.
type sessionHeap struct {
	order    heapOrder
	sessions []*storedSession
}

// heapOrder is the order of a sessionHeap, and the field in which sessions keep their slot.
type heapOrder interface {
	before(a, b *storedSession) bool
	slot(session *storedSession) *int
}

type byExpiry struct{}

func (byExpiry) before(a, b *storedSession) bool  { return a.expiresAt < b.expiresAt }
func (byExpiry) slot(session *storedSession) *int { return &session.expirySlot }

type byDue struct{}

func (byDue) before(a, b *storedSession) bool  { return a.dueAt.Before(b.dueAt) }
func (byDue) slot(session *storedSession) *int { return &session.dueSlot }

// put adds a session, or moves it after a change.
func (h *sessionHeap) put(session *storedSession) {
	if slot := *h.order.slot(session); slot >= 0 {
		heap.Fix(h, slot)
	} else {
		heap.Push(h, session)
	}
}

// remove removes a session, if it is in the heap.
func (h *sessionHeap) remove(session *storedSession) {
	if slot := *h.order.slot(session); slot >= 0 {
		heap.Remove(h, slot)
	}
}

// clip releases unused memory.
func (h *sessionHeap) clip() { h.sessions = slices.Clip(slices.Clone(h.sessions)) }

// Len implements heap.Interface.
func (h *sessionHeap) Len() int { return len(h.sessions) }

// Less implements heap.Interface.
func (h *sessionHeap) Less(i, j int) bool { return h.order.before(h.sessions[i], h.sessions[j]) }

// Swap implements heap.Interface.
func (h *sessionHeap) Swap(i, j int) {
	h.sessions[i], h.sessions[j] = h.sessions[j], h.sessions[i]
	*h.order.slot(h.sessions[i]), *h.order.slot(h.sessions[j]) = i, j
}

// Push implements heap.Interface.
func (h *sessionHeap) Push(x any) {
	session := x.(*storedSession)
	*h.order.slot(session) = len(h.sessions)
	h.sessions = append(h.sessions, session)
}

// Pop implements heap.Interface.
func (h *sessionHeap) Pop() any {
	last := len(h.sessions) - 1
	session := h.sessions[last]
	h.sessions[last] = nil
	h.sessions = h.sessions[:last]
	*h.order.slot(session) = -1
	return session
}
