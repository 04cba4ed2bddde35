// Package prompt puts entities and notes in front of a model: it writes the
// block, reads it back, and places it in a prompt.
//
//	Content: entities, newest first; notes, most important first
//	      │
//	      ▼                    line.go, label.go   what is said of an entity
//	   Renderer ◀── Budget     note.go             what is said of a note
//	      │           │        policy.go, budget.go, share.go   what a budget is spent on
//	      │           │        focus.go, toolset.go   what is asked for
//	      │      TokenCounter  tokens.go              what it is counted with
//	      ▼                    escape.go              strangers' text made harmless
//	    block ──▶ Place, InSystem  place.go, append.go   where it goes
//	      ├─────▶ Parse, Find      parse.go, find.go     how it is read back
//	      ├─────▶ Remove, RemoveEcho   find.go, echo.go  how it is taken out of what others say
//	      └─────▶ Explain          explain.go            why something is not in it
//
//	SummaryTemplate      summarytemplate.go     how a model is asked for a summary
//	ExtractionTemplate   extractiontemplate.go  how it is asked for memories
//
// # The block
//
//	[WORKING MEMORY]
//	pages:
//	  - "Home" (550e8400-e29b-41d4-a716-446655440000)
//	  - "About" (6ba7b810-9dad-11d1-80b4-00c04fd430c8)
//	entries:
//	  - "Welcome Post" (f47ac10b-58cc-4372-a567-0e02b2c3d479)
//	[NOTES]
//	  - goal: "Ship the release by Friday"
//	  - observation: "get_order: order #W123 is pending"
//
// Groups stand in the order of their newest entity, entities newest first, notes
// behind them in the order of their positions; there is no line break at the
// end. Every line after the first is one of
//
//	type:               the plural of a type that is a plain word
//	"type":             any other type, as it is
//	  - "label" (id)    an entity; where a budget is short, several, joined by ", "
//	[NOTES]             once, before the notes, if there are any
//	  - type: "text"    a note; its type is in quotes if it is no plain word
//
// A type is a plain word if it consists of letters, digits and "_", and its
// plural leads back to it; that of a note needs no plural. A label is the entity's name, else its description,
// else "Unnamed type"; see Options.LabelRunes for where it is cut. A name that is
// a code (web-2, #8496), or that another entity of the type has too, is followed by
// the description. Where a budget is short, labels are cut to their first words,
// and placeholders, and the labels of what is least likely to be needed, are left
// empty. A note is there as a whole or not at all, but for the end of a long one:
// see Options.NoteRunes.
//
// # Trust
//
// Names, ids, types and much of what notes say come from tool results, that is,
// from strangers, and the block goes into the system prompt. In labels, types,
// ids and texts these are escaped as in a JSON string: the quote and the
// backslash; control characters, spaces other than the ASCII one, line
// separators, bidirectional and zero-width characters, tags, variation selectors
// and whatever else has no visible shape; U+FFFD, which also stands for bytes
// that are no UTF-8; and < { }, so that role markers and template syntax are
// inert even where the block is pasted into a template's source. Above U+FFFF it
// takes a surrogate pair, so that what is between the quotes is a JSON string.
// In ids the parentheses are escaped too, so that an id ends at the first ")".
//
// Therefore no entity and no note can forge a line, a header, another entity or
// note, or the end of the block: ParseContent(RenderContent(content)) gives the
// type, id and label of each entity shown, and the type and text of each note,
// whatever they were. What a model makes of a text that reads like an
// instruction is beyond what escaping can do: tell it that the block is data.
// Characters that merely look like others, and square brackets, stay as they are.
package prompt
