package redisstore

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// The index lists all sessions, in another slot than theirs. doc.go describes how mark,
// settle and List keep it correct when processes die and calls overtake each other. About
// expiries:
//
//   - The expiry in the index is never later than that of the session, but may be earlier.
//     List checks the session when that time comes.
//   - The head's field "indexed" is never earlier than the expiry in the index. A write that
//     sets no earlier expiry need not update the index.

// mark is a mark of a session in the index: its number, and the time at which it ends.
type mark struct{ stamp, until string }

// mark marks a session that is about to be changed.
func (s *Store) mark(ctx context.Context, op, text string, removes bool) (mark, error) {
	freeing := 0
	if removes {
		freeing = 1
	}
	reply, err := s.run(ctx, op, s.scripts.mark, s.layout.index(), text, freeing)
	if err != nil {
		return mark{}, err
	}
	if len(reply) != 2 {
		return mark{}, unexpected(op)
	}
	return mark{stamp: reply[0], until: reply[1]}, nil
}

// settleMark updates the index after a change and removes its mark. The state is taken from
// the script's reply or, if that is inconclusive, read from the session. If settleMark fails,
// the mark stays.
func (s *Store) settleMark(ctx context.Context, text string, m mark, removes bool, reply []string) error {
	var now state
	switch {
	case reply[0] == "ok" && removes:
		now = state{live: "0", expires: "0", due: "0"}
	case reply[0] == "ok":
		now = state{live: "1", expires: reply[len(reply)-2], due: reply[len(reply)-1]}
	default:
		states, err := s.states(ctx, []string{text})
		if err != nil {
			return err
		}
		now = states[0]
	}
	settled, err := s.run(ctx, "index", s.scripts.settle, s.layout.index(), text, m.stamp, now.live, now.expires, now.due)
	if err != nil {
		return err
	}
	var found []finding
	if stamp := settled[0]; stamp != "" {
		found = append(found, finding{kind: "pending", key: text, stamp: stamp})
	}
	for i := 1; i+1 < len(settled); i += 2 {
		found = append(found, finding{kind: "expiring", key: settled[i], stamp: settled[i+1]})
	}
	if len(found) == 0 {
		return nil
	}
	if err := s.readStates(ctx, found); err != nil {
		return err
	}
	_, err = s.runList(ctx, "index", nothing, "", found)
	return err
}

// state is the state of a session for the index: whether it exists ("1"), its expiry in
// milliseconds ("0" for none) and its due time ("0" for none, or unreadable).
type state struct{ live, expires, due string }

// finding is an entry of the index to check, with the state of its session.
type finding struct {
	kind, key, stamp string
	state
}

// readStates fills in the states of the sessions.
func (s *Store) readStates(ctx context.Context, found []finding) error {
	texts := make([]string, len(found))
	for i := range found {
		texts[i] = found[i].key
	}
	states, err := s.states(ctx, texts)
	for i := range states {
		found[i].state = states[i]
	}
	return err
}

// states returns the states of the sessions whose keys have the given texts.
func (s *Store) states(ctx context.Context, texts []string) ([]state, error) {
	states := make([]state, len(texts))
	cmds, _ := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, text := range texts {
			s.scripts.state.EvalSha(ctx, p, []string{s.layout.head(text)})
		}
		return nil
	})
	for i, text := range texts {
		var (
			reply []string
			err   error
		)
		if i < len(cmds) && !redis.HasErrorPrefix(cmds[i].Err(), "NOSCRIPT") {
			reply, err = cmds[i].(*redis.Cmd).StringSlice()
		} else {
			reply, err = s.scripts.state.Run(ctx, s.client, []string{s.layout.head(text)}).StringSlice()
		}
		if err != nil {
			return nil, s.failed(ctx, "index", err)
		}
		if len(reply) != 3 {
			return nil, unexpected("index")
		}
		states[i] = state{live: reply[0], expires: reply[1], due: reply[2]}
	}
	return states, nil
}

// runList runs the script list on a range of the index, after applying the findings.
func (s *Store) runList(ctx context.Context, op string, r indexRange, begin string, found []finding) ([]string, error) {
	args := append(make([]any, 0, 6+6*len(found)), begin, r.set, r.min, r.max, r.offset, r.count)
	for _, f := range found {
		args = append(args, f.kind, f.key, f.stamp, f.live, f.expires, f.due)
	}
	return s.run(ctx, op, s.scripts.list, s.layout.index(), args...)
}

// indexRange is a range of one of the index's sorted sets, numbered like the scripts' KEYS. A
// negative count means no limit.
type indexRange struct {
	set           int
	min, max      string
	offset, count int
}

// nothing is an empty range.
var nothing = indexRange{set: 1, min: "+", max: "-"}

// prefixRange returns the range of the members with a prefix, which ends in a slash.
func prefixRange(set int, prefix string) indexRange {
	return indexRange{set: set, min: "[" + prefix, max: "(" + prefix[:len(prefix)-1] + "0"}
}
