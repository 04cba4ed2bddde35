// Package inert makes texts from outside harmless where a model reads them: in the block,
// in notes, summaries and memories, and in answers over MCP.
//
//	AppendEscaped, Unescape   escape.go    a label, a type or an id, and back
//	Text, Line, JSON          text.go      a text of several lines, of one, or in JSON
//	                          markers.go   what has a meaning to models and templates
//
// A character without a visible shape, one that ends the enclosure or looks like one that
// does, and one of each marker of chat formats, templates, links and images are written as
// in a JSON string: \u003c|im_start|>. Nothing else changes.
package inert
