package prompt

const (
	// DefaultPerType is how many entities of a type are shown without a budget (seed 004).
	DefaultPerType = 3
	// DefaultLabelRunes is the longest label shown, in runes.
	DefaultLabelRunes = 80
	// DefaultNotes is how many notes are shown without a budget.
	DefaultNotes = 5
	// DefaultNoteShare is how much of a budget notes may take from entities, in
	// percent.
	DefaultNoteShare = 40
	// DefaultNoteRunes is the longest note shown, in runes.
	DefaultNoteRunes = 240
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
	// least likely to be needed. Notes are shown whole, as many as have room.
	// 0 or less means no budget.
	Budget int
	// Tools is what the agent's tools take: a Budget is spent on other things
	// last. nil means that it is not known.
	Tools *Toolset
	// Counter counts the tokens of a Budget. nil means Estimator.
	Counter TokenCounter
	// LabelRunes is the longest label shown, in runes; longer ones are cut and
	// end in "…", which is one of them. 0 or less means DefaultLabelRunes.
	LabelRunes int
	// Notes is how many notes are shown where there is no Budget. 0 or less means
	// DefaultNotes.
	Notes int
	// NoteShare is how much of a Budget notes may take while entities need the
	// rest, in percent. What one side does not need goes to the other. 0 means
	// DefaultNoteShare, less than 0 that notes take only what entities leave, more
	// than 100 means 100.
	NoteShare int
	// NoteRunes is the longest note shown, in runes. A longer one is cut behind a
	// whole word and ends in " …", which counts. 0 or less means DefaultNoteRunes.
	NoteRunes int
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
	if opts.Notes <= 0 {
		opts.Notes = DefaultNotes
	}
	if opts.NoteShare == 0 {
		opts.NoteShare = DefaultNoteShare
	}
	opts.NoteShare = min(max(opts.NoteShare, 0), 100)
	if opts.NoteRunes <= 0 {
		opts.NoteRunes = DefaultNoteRunes
	}
	return opts
}
