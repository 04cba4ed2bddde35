package summarize

import (
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/tokens"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// requests divides what leaves so that each request fits the window of the
// Summarizer: the prompt, the previous summary and the texts, with a quarter more for
// what quoting adds (of JSON, up to a fourth), and the new summary. All but the first
// get their previous summary when it is written.
func (r *run) requests(previous string) []summary.Request {
	if r.j.InputTokens == 0 {
		return []summary.Request{{Previous: previous, Messages: texts(r.leaves), MaxTokens: r.limit}}
	}
	room := (r.j.InputTokens-r.limit-min(promptTokens, r.j.InputTokens/8))*4/5 - r.limit
	var pieces []piece
	if r.j.Counter.CountTokens(previous) > r.limit {
		// Not one of ours: it is summarised like the messages.
		pieces, previous = r.divided(pieces, "", previous, room), ""
	}
	for i := range r.leaves {
		message := &r.leaves[i]
		if message.Tokens <= room {
			pieces = append(pieces, piece{message.Text(), message.Tokens})
		} else {
			pieces = r.divided(pieces, message.Role+": … ", message.Text(), room)
		}
	}
	return grouped(pieces, previous, room, r.limit)
}

// promptTokens is how long a prompt may be without what is put into it: the one of
// prompt.DefaultSummaryTemplate has 184 by prompt.Estimator.
const promptTokens = 200

// piece is a text of a request.
type piece struct {
	text   string
	tokens int
}

// divided appends the parts of a text that is too large. Each but the first begins
// with the label.
func (r *run) divided(pieces []piece, label, text string, room int) []piece {
	counter := r.j.Counter
	labelTokens := counter.CountTokens(label)
	if labelTokens > room/2 { // a role is any text
		label, labelTokens = "… ", 1
	}
	for i, part := range tokens.Split(text, room-labelTokens, counter) {
		if i > 0 {
			part = label + part
		}
		pieces = append(pieces, piece{part, counter.CountTokens(part)})
	}
	return pieces
}

// grouped puts as many pieces into a request as have room.
func grouped(pieces []piece, previous string, room, limit int) []summary.Request {
	var requests []summary.Request
	sum := 0
	for _, p := range pieces {
		if len(requests) == 0 || sum+p.tokens > room {
			requests = append(requests, summary.Request{MaxTokens: limit})
			sum = 0
		}
		last := &requests[len(requests)-1]
		last.Messages = append(last.Messages, p.text)
		sum += p.tokens
	}
	requests[0].Previous = previous
	return requests
}

func texts(messages []driver.Message) []string {
	texts := make([]string, len(messages))
	for i := range messages {
		texts[i] = messages[i].Text()
	}
	return texts
}
