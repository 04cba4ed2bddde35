package prompt

const (
	// DefaultPerType is how many entities of a type are shown without a budget (seed 004).
	DefaultPerType = 3
	// DefaultLabelRunes is the longest label shown, in runes.
	DefaultLabelRunes = 80
)

// Options configures a Renderer. The zero value is useful.
type Options struct {
	// PerType is how many entities of a type are shown where there is no
	// Budget. 0 or less means DefaultPerType.
	PerType int
	// Budget is the largest size of the block in tokens. It replaces PerType: the
	// block holds what is most likely to be needed next. While everything given
	// fits, it looks as it does without a budget; else types take turns, the
	// entities of a type share a line and labels are short, or empty for those
	// least likely to be needed. 0 or less means no budget.
	Budget int
	// Tools is what the agent's tools take: a Budget is spent on other things
	// last. nil means that it is not known.
	Tools *Toolset
	// Counter counts the tokens of a Budget. nil means Estimator.
	Counter TokenCounter
	// LabelRunes is the longest label shown, in runes; longer ones are cut and
	// end in "…", which is one of them. 0 or less means DefaultLabelRunes.
	LabelRunes int
}

// withDefaults returns the options with every default filled in.
func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.PerType <= 0 {
		opts.PerType = DefaultPerType
	}
	opts.Budget = max(opts.Budget, 0)
	if opts.Counter == nil {
		opts.Counter = Estimator{}
	}
	if opts.LabelRunes <= 0 {
		opts.LabelRunes = DefaultLabelRunes
	}
	return opts
}
