package sqlitestore

import "slices"

// next removes and returns the change that has waited longest, or nil if none waits.
func (w *writer) next() *change {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		w.queue = nil
		return nil
	}
	c := w.queue[0]
	w.queue[0] = nil
	w.queue = w.queue[1:]
	return c
}

// isWaiting reports whether a change is in the queue.
func (w *writer) isWaiting(c *change) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Contains(w.queue, c)
}

// dequeue removes a change from the queue and reports whether it was there.
func (w *writer) dequeue(c *change) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.queue, c)
	if i < 0 {
		return false
	}
	w.queue = slices.Delete(w.queue, i, i+1)
	return true
}
