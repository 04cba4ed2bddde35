package summarize

import (
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/tokens"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// requests splits the leaving messages into requests that fit the input of the Summarizer:
// the prompt, the previous summary, the texts with a quarter more for quoting, and the new
// summary. The Previous of all but the first is filled in later.
func (r *run) requests(previous string) []summary.Request {
	if r.j.InputTokens == 0 {
		return []summary.Request{{Previous: previous, Messages: texts(r.leaves), MaxTokens: r.limit}}
	}
	room := (r.j.InputTokens-r.limit-min(promptTokens, r.j.InputTokens/8))*4/5 - r.limit
	var pieces []piece
	if r.j.Counter.CountTokens(previous) > r.limit {
		// Not written by a Summarizer: it is summarised like the messages.
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

// promptTokens is the estimated maximum length of a prompt. prompt.DefaultSummaryTemplate has
// 184 tokens by prompt.Estimator.
const promptTokens = 200

// piece is a message, or a part of a long one.
type piece struct {
	text   string
	tokens int
}

// divided appends the parts of a text that is too long. All but the first begin with the
// label.
func (r *run) divided(pieces []piece, label, text string, room int) []piece {
	counter := r.j.Counter
	labelTokens := counter.CountTokens(label)
	if labelTokens > room/2 { // a role may be long
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

// grouped puts as many pieces into each request as fit.
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
