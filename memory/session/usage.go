package session

// Usage says how full a context window is, in percent from 0 to 100.
type Usage struct {
	// Total is the part of the window that the messages take.
	Total float64
	// UntilSummarization is the part of the threshold that they take: above 100,
	// which it does not show, they are summarised.
	UntilSummarization float64
}

// UsageOf returns 100·tokens/window and 100·tokens/threshold, both at most 100.
// Without tokens it is 0. What tokens take of a window or a threshold of 0 is 100.
func UsageOf(tokens, window, threshold int) Usage {
	return Usage{Total: percentage(tokens, window), UntilSummarization: percentage(tokens, threshold)}
}

func percentage(part, whole int) float64 {
	switch {
	case part <= 0:
		return 0
	case part >= whole:
		return 100
	default:
		return 100 * float64(part) / float64(whole)
	}
}

// Window is the context window that opts name, in tokens: opts.Window, else that of
// opts.Model, else Options.Window for a model that is not known. It is 0 if opts name
// neither a window nor a model.
func (m *Manager) Window(opts *WriteOptions) int {
	if opts == nil || opts.Window <= 0 && opts.Model == "" {
		return 0
	}
	if opts.Window > 0 {
		return opts.Window
	}
	if window := m.windowOf(opts.Model); window > 0 {
		return window
	}
	return m.opts.Window
}

// Usage says how full the Window that opts name is with so many tokens of messages. It is
// false if they name none.
func (m *Manager) Usage(tokens int, opts *WriteOptions) (Usage, bool) {
	window := m.Window(opts)
	if window == 0 {
		return Usage{}, false
	}
	return UsageOf(tokens, window, m.summaries.Limit(window)), true
}
