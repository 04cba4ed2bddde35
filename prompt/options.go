package prompt

import "github.com/go-workingmemory/workingmemory/memory"

const (
	// DefaultPerType is the default of Options.PerType (seed 004).
	DefaultPerType = 3
	// DefaultLines is the default of Options.Lines.
	DefaultLines = memory.DefaultCapacity
	// DefaultLabelRunes is the default of Options.LabelRunes.
	DefaultLabelRunes = 80
	// DefaultNotes is the default of Options.Notes.
	DefaultNotes = 5
	// DefaultNoteShare is the default of Options.NoteShare, in percent.
	DefaultNoteShare = 40
	// DefaultNoteRunes is the default of Options.NoteRunes.
	DefaultNoteRunes = 240
)

// Options configures a Renderer. The zero value is useful.
type Options struct {
	// PerType is the number of entities shown of each type without a Budget. 0 or less
	// means DefaultPerType.
	PerType int
	// Lines is the number of entities and candidates shown without a Budget. What was made,
	// changed, used or named last comes first, beyond PerType; the others are the newest ones.
	// 0 or less means DefaultLines.
	Lines int
	// Budget is the largest size of the block in tokens. It replaces PerType: the block
	// holds what is most likely to be needed next. If everything fits, the block looks
	// as without a budget. Otherwise types take turns, the entities of a type share a
	// line, and labels are short, or empty for entities least likely to be needed.
	// Notes are shown whole, as many as fit. 0 or less means no budget.
	Budget int
	// Tools describes the ids that the agent's tools accept. A Budget is spent on other
	// entities last. If nil, the tools are unknown.
	Tools *Toolset
	// Counter counts the tokens of a Budget. If nil, Estimator is used.
	Counter TokenCounter
	// LabelRunes is the length of the longest label, in runes. A longer label is cut
	// and ends in "…", which counts. 0 or less means DefaultLabelRunes.
	LabelRunes int
	// Notes is the number of notes shown without a Budget. 0 or less means DefaultNotes.
	Notes int
	// NoteShare is the part of a Budget, in percent, that notes may take if entities
	// need the rest. Notes and entities may use what the other side does not need. 0
	// means DefaultNoteShare; if negative, notes take only what entities leave; the
	// maximum is 100.
	NoteShare int
	// NoteRunes is the length of the longest note, in runes. A longer note is cut after
	// a whole word and ends in " …", which counts. 0 or less means DefaultNoteRunes.
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
	if opts.Lines <= 0 {
		opts.Lines = DefaultLines
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
