package session

// Usage reports how full a context window is, in percent from 0 to 100.
type Usage struct {
	// Total is the share of the window that the messages fill.
	Total float64
	// UntilSummarization is the share of the threshold that they fill. Above 100, which is
	// not shown, they are summarised.
	UntilSummarization float64
}

// UsageOf returns 100·tokens/window and 100·tokens/threshold, both at most 100. Both are 0
// without tokens, and 100 of a window or threshold of 0.
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

// Window returns the context window that opts give, in tokens: opts.Window, else that of
// opts.Model, else Options.Window if the model is not known. It is 0 if opts give neither.
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

// Usage reports how full the Window of opts is with that many tokens. ok is false if opts
// give no window.
func (m *Manager) Usage(tokens int, opts *WriteOptions) (usage Usage, ok bool) {
	window := m.Window(opts)
	if window == 0 {
		return Usage{}, false
	}
	return UsageOf(tokens, window, m.summaries.Limit(window)), true
}
