package drivertest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// check compares long-term memory with what was written.
func (p *promotions) check(ctx context.Context) error {
	memories, err := longterm.New(p.index, nil)
	if err != nil {
		return err
	}
	defer func() { _ = memories.Close(ctx) }()
	promoter, err := promotionsPromoter(p.index, nil)
	if err != nil {
		return err
	}
	for _, owner := range promotionOwners {
		if err := p.checkOwner(ctx, memories, owner); err != nil {
			return fmt.Errorf("%s: %w", owner, err)
		}
	}
	for i, s := range p.sessions {
		err := errors.Join(p.checkSession(ctx, s), s.checkMessages(ctx, promoter))
		if i%searched == 0 && err == nil {
			err = s.checkSearch(ctx, memories)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.key, err)
		}
	}
	return nil
}

// searched is the interval of the sessions whose memories are searched for.
const searched = 5

// checkOwner requires that each record of an owner exists once, and no other.
func (p *promotions) checkOwner(ctx context.Context, memories *longterm.Memory, owner sessiondriver.Key) error {
	want := make(map[string]int) // of texts
	for _, s := range p.sessions {
		if s.key.Namespace != owner.Namespace || s.key.UserID != owner.UserID {
			continue
		}
		for _, text := range s.memories {
			want[text]++
		}
		for _, text := range s.entities {
			want[text]++
		}
		for _, text := range s.messages {
			want["echo of "+text]++
		}
	}
	query := longterm.Query{
		Filter: longtermdriver.RecordFilter{Type: &longtermdriver.TextCondition{Ne: new(string(sessiondriver.RecordMessage))}}, Order: longtermdriver.OrderKey, Limit: longtermdriver.MaxPage, NoTouch: true,
	}
	for query.Offset >= 0 {
		results, err := memories.Search(ctx, longterm.Of(owner.Namespace, owner.UserID), query)
		if err != nil {
			return err
		}
		for i := range results.Hits {
			r := &results.Hits[i].Record
			if r.Namespace != owner.Namespace || r.UserID != owner.UserID {
				return fmt.Errorf("record %q belongs to another owner", r.ID)
			}
			want[withoutNonce(r.Text)]--
		}
		query.Offset = results.Next
	}
	for text, missing := range want {
		switch {
		case missing > 0:
			return fmt.Errorf("%q is missing", text)
		case missing < 0:
			return fmt.Errorf("%q exists %d times too often", text, -missing)
		}
	}
	return nil
}

// withoutNonce removes the random word from the text of an echo.
func withoutNonce(text string) string {
	if rest, ok := strings.CutPrefix(text, "echo "); ok {
		_, rest, _ = strings.Cut(rest, " ")
		return "echo " + rest
	}
	return text
}

// checkSession requires that everything is marked in the session.
func (p *promotions) checkSession(ctx context.Context, s *promoted) error {
	head, err := p.manager.Load(ctx, s.key, nil)
	if err != nil {
		return err
	}
	seen := make(map[string]bool)
	for i := range head.Memories {
		m := &head.Memories[i]
		if m.PersistedAt.IsZero() || seen[m.ID] {
			return fmt.Errorf("memory %q is not marked, or exists twice", m.ID)
		}
		seen[m.ID] = true
	}
	for id := range s.memories {
		if !seen[id] {
			return fmt.Errorf("memory %q is not in its session", id)
		}
	}
	for i := range head.Messages {
		if m := &head.Messages[i]; m.PersistedAt.IsZero() || !m.Extracted {
			return fmt.Errorf("message %q is not marked", m.ID)
		}
	}
	return s.sameMessages(head.Messages)
}

func (s *promoted) checkMessages(ctx context.Context, promoter *longterm.Promoter) error {
	kept, err := promoter.Messages(ctx, s.key)
	if err != nil {
		return err
	}
	return s.sameMessages(kept)
}

func (s *promoted) sameMessages(messages []sessiondriver.Message) error {
	if len(messages) != len(s.messages) {
		return fmt.Errorf("%d of %d messages exist", len(messages), len(s.messages))
	}
	for i, content := range s.messages {
		if m := &messages[i]; m.ID != fmt.Sprint("m", i) || m.Content != content {
			return fmt.Errorf("message %d is %q, %q", i, m.ID, m.Content)
		}
	}
	return nil
}

// checkSearch searches for a memory of the session as its owner and as each other owner.
func (s *promoted) checkSearch(ctx context.Context, memories *longterm.Memory) error {
	for id, text := range s.memories {
		for _, owner := range promotionOwners {
			// The first word is unique.
			word, _, _ := strings.Cut(text, " ")
			found, err := memories.Search(ctx, longterm.Of(owner.Namespace, owner.UserID), longterm.Query{Text: word, NoTouch: true})
			if err != nil {
				return err
			}
			want := 0
			if owner.Namespace == s.key.Namespace && owner.UserID == s.key.UserID {
				want = 1
			}
			if found.Total != want || want == 1 && found.Hits[0].Record.Text != text {
				return fmt.Errorf("memory %q is found %d times by %s", id, found.Total, owner)
			}
		}
		break // checkOwner has seen all of them
	}
	return nil
}
