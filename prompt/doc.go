// Package prompt puts entities and notes in front of a model: it writes the
// block, reads it back, and places it in a prompt.
//
//	Content: entities, newest first; notes, most important first
//	      │
//	      ▼                    line.go, label.go      text of an entity
//	   Renderer ◀── Budget     note.go                text of a note
//	      │           │        policy.go, budget.go, share.go   spending a budget
//	      │           │        focus.go, toolset.go   what is likely to be needed
//	      │      TokenCounter  tokens.go              counting tokens
//	      ▼
//	    block ──▶ Place, InSystem      place.go, append.go   placing it in a prompt
//	      ├─────▶ Parse, Find          parse.go, find.go     reading it back
//	      ├─────▶ Remove, RemoveEcho   find.go, echo.go      removing it from other texts
//	      └─────▶ Explain              explain.go            why an entity is not in it
//
//	SummaryTemplate      summarytemplate.go     prompt for a summary
//	ExtractionTemplate   extractiontemplate.go  prompt for memories
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
// Groups are ordered by their newest entity, entities newest first, those that only a
// stranger named behind others of the same label, and notes follow in the order of their
// positions. There is no trailing line break. Every line after
// the first is one of
//
//	type:               the plural of a type that is a plain word
//	"type":             any other type, as it is
//	  - "label" (id)    an entity, with its aliases joined by ", " behind the id; with a
//	                    tight budget several entities, joined by ", "
//	  - "label" (id) from source
//	                    one of several under a header that read the same although tools of
//	                    different namespaces named them; the source is in quotes if it is
//	                    no word of letters, digits and "_-./:"
//	[NOTES]             once, before the notes, if there are any
//	  - type: "text"    a note; its type is in quotes if it is no plain word
//
// What the agent works with, entities that are held or that the last messages mention, has
// up to half of the lines of its type, or with a budget three tenths of it, however much newer
// entities there are.
//
// A type is a plain word if it consists of letters, digits and "_", and its
// plural can be converted back; the type of a note needs no plural. A label is the
// entity's name, or its description, or "Unnamed type"; see Options.LabelRunes for where
// it is cut. A name that is a code (web-2, #8496), or that another entity of the type has
// too, is followed by the description. With a tight budget, labels are cut to their first
// words, and placeholders and the labels of entities least likely to be needed are empty.
// A note is shown whole or not at all, except that a long one is cut: see
// Options.NoteRunes.
//
// # Trust
//
// Names, ids, types and much of the text of notes come from tool results, which are
// untrusted, and the block goes into the system prompt. In labels, types, ids and texts
// the following are escaped as in a JSON string: the quote and the backslash; control
// characters, spaces other than the ASCII one, line separators, bidirectional and
// zero-width characters, tags, variation selectors and all other characters without a
// visible shape; U+FFFD, which also replaces invalid UTF-8; < { } and what looks like
// them, like a bracket or like a quote in another width; and one character of each marker
// that chat formats, transcripts, templates and Markdown give a meaning: [INST], "System:"
// at the beginning, $(…), %(…)s, links and images. Characters above U+FFFF take a surrogate
// pair, so that the text between the quotes is a JSON string. In ids the parentheses are
// escaped too, and a comma before a space, so that an id ends at the first ")" or ", ".
//
// Therefore no entity and no note can forge a line, a header, another entity or note, or
// the end of the block: for any content, ParseContent(RenderContent(content)) returns the
// type, id and label of each entity shown, and the type and text of each note. Names that
// read the same are told apart by where they are from, behind the parentheses, where no
// name can reach.
//
// Escaping cannot prevent a model from following a text that reads like an instruction:
// Place and InSystem put the Guidance in front of the block, which names it as data.
package prompt
