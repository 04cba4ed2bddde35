package drivertest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Random cases are meant to fail here: they write no files and do not shrink. The seed is fixed,
// as a run need not find every fault.
var _, _, _ = flag.Set("rapid.nofailfile", "true"), flag.Set("rapid.shrinktime", "0s"), flag.Set("rapid.seed", "1")

func TestSuite(t *testing.T) {
	t.Parallel()
	var faults []conformance.Fault[*env]
	for _, m := range slices.Concat(appendMutants(), writeMutants(), contentMutants(), ttlMutants(), listMutants(), dueMutants(), reserveMutants(), concurrencyMutants()) {
		faults = append(faults, conformance.Fault[*env]{Name: m.name, Open: newEnv(harness(m.parts)), Cases: m.cases})
	}
	conformance.Verify(t, allCases(), newEnv(harness(parts{})), faults)
}

// mutant is a store with a fault, and the cases that must find it.
type mutant struct {
	name  string
	parts parts
	cases []string
}

// appending is a fault in what is appended.
func appending(change func(a *driver.Append)) parts {
	return parts{append: func(_ *simple, _ driver.Key, a *driver.Append) { change(a) }}
}

func appendMutants() []mutant {
	return []mutant{{
		"append loses the last of many messages",
		appending(func(a *driver.Append) { a.Messages = a.Messages[:max(len(a.Messages)-1, min(len(a.Messages), 1))] }),
		[]string{"append makes a session", "append adds at the end", "like the model"},
	}, {
		"append of nothing makes no session",
		parts{appended: func(s *simple, key driver.Key, p *driver.Position, _ int) {
			if p.Next == 1 {
				delete(s.sessions, key)
			}
		}},
		[]string{"append of nothing makes a session", "like the model"},
	}, {
		"append adds up to a thousand messages",
		appending(func(a *driver.Append) { a.Messages = a.Messages[:min(len(a.Messages), 1000)] }),
		[]string{"append of thousands of messages"},
	}, {
		"append returns the position before it",
		parts{appended: func(_ *simple, _ driver.Key, p *driver.Position, added int) { p.Next -= uint64(added) }},
		[]string{"append says where the session stands", "like the model"},
	}, {
		"load returns the first messages",
		parts{load: func(s *simple, key driver.Key, last int) (*driver.StoredSession, error) {
			r, err := s.load(key, -1)
			if err == nil && last >= 0 {
				r.Messages = r.Messages[:min(last, len(r.Messages))]
			}
			return r, err
		}},
		[]string{"load the last messages", "like the model"},
	}, {
		"load of nothing is an empty record",
		parts{load: func(s *simple, key driver.Key, last int) (*driver.StoredSession, error) {
			if s.find(key) == nil {
				return &driver.StoredSession{}, nil
			}
			return s.load(key, last)
		}},
		[]string{"load of nothing"},
	}, {
		"a write without a window takes it away",
		parts{appended: func(s *simple, key driver.Key, p *driver.Position, _ int) { p.Window = 0 }},
		[]string{"window is kept", "like the model"},
	}, {
		"times are kept to the second",
		appending(func(a *driver.Append) { a.Now = a.Now.Truncate(time.Second) }),
		[]string{"time of the last write", "like the model"},
	}, {
		"bodies are those of the caller", parts{borrows: true},
		[]string{"input is not kept"},
	}, {
		"snapshots are changed by appends",
		parts{
			load: func(s *simple, key driver.Key, last int) (*driver.StoredSession, error) {
				r, err := s.load(key, last)
				if err == nil {
					r.Messages = s.find(key).Messages[len(s.find(key).Messages)-len(r.Messages):]
				}
				return r, err
			},
			change: func(s *modelSession, _ change) {
				if s != nil {
					before := s.Messages
					s.Messages = slices.Clone(before)
					clear(before)
				}
			},
		},
		[]string{"snapshots stay"},
	}, {
		"append adds ids that are there", idsAgain(func(*simple, driver.Key, *driver.Append) {}),
		[]string{
			"ids in the session", "ids twice in a call", "ids that left", "ids of all sorts", "the same ids at once",
			"append of thousands of messages", "like the model",
		},
	}, {
		"the last of two messages with one id counts",
		appending(func(a *driver.Append) {
			var kept []driver.StoredMessage
			for i, m := range a.Messages {
				if !slices.Contains(idsOf(a.Messages[i+1:]), m.ID) {
					kept = append(kept, m)
				}
			}
			a.Messages = kept
		}),
		[]string{"ids twice in a call", "like the model"},
	}, {
		"ids that left are forgotten",
		parts{append: func(s *simple, key driver.Key, _ *driver.Append) {
			if r := s.find(key); r != nil {
				maps.DeleteFunc(r.ids, func(_ string, there bool) bool { return !there })
			}
		}},
		[]string{"ids that left", "ids that came back", "ids of all sorts", "like the model"},
	}}
}

// idsAgain makes each id that is appended unique, and hides that in what is loaded. before is
// called before each Append.
func idsAgain(before func(s *simple, key driver.Key, a *driver.Append)) parts {
	return parts{
		append: func(s *simple, key driver.Key, a *driver.Append) {
			before(s, key, a)
			for i := range a.Messages {
				a.Messages[i].ID += "\x00#" + rand.Text()
			}
		},
		load: func(s *simple, key driver.Key, last int) (*driver.StoredSession, error) {
			r, err := s.load(key, last)
			if err == nil {
				for i, m := range r.Messages {
					r.Messages[i].ID, _, _ = strings.Cut(m.ID, "\x00#")
				}
			}
			return r, err
		},
	}
}

// writing is a fault in a Write. r is the session, nil if it does not exist.
func writing(change func(r *modelSession, w *driver.Write)) parts {
	return parts{write: func(s *simple, key driver.Key, w *driver.Write) { change(s.find(key), w) }}
}

// condition returns the condition that a session is as it is now.
func condition(r *modelSession) driver.Condition {
	if r == nil {
		return driver.Condition{}
	}
	return at(r.Position)
}

func writeMutants() []mutant {
	return []mutant{{
		"write pays no heed to conditions",
		writing(func(r *modelSession, w *driver.Write) { w.If = condition(r) }),
		[]string{
			"write makes a session", "write changes nothing that is not there", "write on a condition",
			"revisions of a session that is made again", "expired: write", "like the model",
		},
	}, {
		"write pays no heed to Next",
		writing(func(_ *modelSession, w *driver.Write) { w.If.Next = 0 }),
		[]string{"write on a condition", "like the model"},
	}, {
		"write leaves the head",
		writing(func(r *modelSession, w *driver.Write) {
			if r != nil {
				w.Head = r.Head
			}
		}),
		[]string{"write replaces the head", "heads come back as they were", "like the model"},
	}, {
		"revisions begin with 1", parts{revision: func() uint64 { return 1 }},
		[]string{"revisions of a session that is made again", "like the model"},
	}, {
		"write drops a message less",
		writing(func(_ *modelSession, w *driver.Write) { w.DropBefore -= min(w.DropBefore, 1) }),
		[]string{"write drops messages", "write drops, then adds", "like the model"},
	}, {
		"numbers begin anew",
		parts{change: func(r *modelSession, _ change) {
			if r != nil && r.Len() == 0 {
				r.First, r.Next = 1, 1
			}
		}},
		[]string{"numbers are not given twice", "like the model"},
	}, {
		"write adds, then drops",
		writing(func(r *modelSession, w *driver.Write) {
			if r != nil {
				r.add(w.Messages, true)
				w.If.Next = 0
			}
		}),
		[]string{"write drops, then adds"},
	}, {
		"write leaves out ids that left",
		writing(func(r *modelSession, w *driver.Write) {
			if r != nil && r.standsAt(w.If) {
				r.drop(w.DropBefore)
				w.Messages = slices.DeleteFunc(w.Messages, func(m driver.StoredMessage) bool {
					_, known := r.ids[m.ID]
					return known
				})
			}
		}),
		[]string{"ids that came back", "write drops, then adds", "like the model"},
	}, {
		"write adds up to a thousand messages",
		writing(func(_ *modelSession, w *driver.Write) { w.Messages = w.Messages[:min(len(w.Messages), 1000)] }),
		[]string{"write of thousands of messages"},
	}, {
		"delete of nothing is an error",
		parts{delete: func(s *simple, key driver.Key, where *driver.Condition) error {
			if s.find(key) == nil {
				return driver.ErrNotFound
			}
			return s.first(key, 0, s.delete(key, where))
		}},
		[]string{"delete", "expired: delete"},
	}, {
		"delete pays no heed to conditions",
		parts{delete: func(s *simple, key driver.Key, _ *driver.Condition) error {
			s.delete(key, nil)
			return nil
		}},
		[]string{"delete on a condition", "expired: delete", "like the model"},
	}, {
		"delete removes keys with the same beginning",
		parts{delete: func(s *simple, key driver.Key, _ *driver.Condition) error {
			maps.DeleteFunc(s.sessions, func(k driver.Key, _ *modelSession) bool {
				return k.Namespace == key.Namespace && k.UserID == key.UserID && strings.HasPrefix(k.SessionID, key.SessionID)
			})
			return nil
		}},
		[]string{"delete leaves others", "keys of all sorts"},
	}}
}

// changing is a fault in each message of an Append or a Write.
func changing(message func(m *driver.StoredMessage)) parts {
	return parts{change: func(_ *modelSession, c change) {
		for i := range c.messages {
			message(&c.messages[i])
		}
	}}
}

func contentMutants() []mutant {
	return []mutant{{
		"ids end with a NUL",
		changing(func(m *driver.StoredMessage) { m.ID, _, _ = strings.Cut(m.ID, "\x00") }),
		[]string{"ids of all sorts"},
	}, {
		"ids without case",
		changing(func(m *driver.StoredMessage) { m.ID = strings.ToLower(m.ID) }),
		[]string{"ids of all sorts"},
	}, {
		"bodies are written anew",
		changing(func(m *driver.StoredMessage) {
			var b bytes.Buffer
			if json.Compact(&b, m.Body) == nil {
				m.Body = b.Bytes()
			}
		}),
		[]string{"bodies come back as they were"},
	}, {
		"bodies are cut",
		changing(func(m *driver.StoredMessage) { m.Body = m.Body[:min(len(m.Body), 2<<20)] }),
		[]string{"large bodies"},
	}, {
		"tokens in 32 bits",
		changing(func(m *driver.StoredMessage) { m.Tokens = int64(int32(m.Tokens)) }),
		[]string{"tokens add up"},
	}, {
		"heads are text",
		parts{change: func(_ *modelSession, c change) { *c.head = bytes.ToValidUTF8(*c.head, nil) }},
		[]string{"heads come back as they were"},
	}, {
		"later formats are changed",
		parts{change: func(s *modelSession, c change) {
			if s != nil {
				*c.format = max(*c.format, s.Format)
			}
		}},
		[]string{"later formats", "like the model"},
	}, {
		"earlier formats are refused",
		parts{change: func(s *modelSession, c change) {
			if s != nil && s.Format < *c.format {
				*c.format = s.Format - 1
			}
		}},
		[]string{"earlier formats", "like the model"},
	}}
}

// lasting is a fault in the TTL of an Append or a Write.
func lasting(ttl func(ttl time.Duration) time.Duration) parts {
	return parts{change: func(_ *modelSession, c change) {
		if *c.ttl >= 0 {
			*c.ttl = ttl(*c.ttl)
		}
	}}
}

// revive makes an expired session one that does not expire.
func (s *simple) revive(key driver.Key) {
	if r := s.sessions[key]; r != nil && s.find(key) == nil {
		r.until = 0
	}
}

func ttlMutants() []mutant {
	return []mutant{{
		"a write without a time to live takes it away",
		lasting(func(ttl time.Duration) time.Duration {
			if ttl == 0 {
				return driver.NoExpiry
			}
			return ttl
		}),
		[]string{"time to live is kept and replaced", "like the model"},
	}, {
		"an append that adds nothing does not renew",
		parts{append: func(s *simple, key driver.Key, a *driver.Append) {
			if len(a.Messages) == 0 && s.find(key) != nil {
				a.TTL = 0
			}
		}},
		[]string{"time to live is kept and replaced", "like the model"},
	}, {
		"a load renews",
		parts{load: func(s *simple, key driver.Key, last int) (*driver.StoredSession, error) {
			if r := s.find(key); r != nil && r.until > 0 {
				r.until += time.Minute
				r.ExpiresAt = r.ExpiresAt.Add(time.Minute)
			}
			return s.load(key, last)
		}},
		[]string{"reads do not renew", "like the model"},
	}, {
		"a time to live cannot be taken away",
		parts{change: func(_ *modelSession, c change) { *c.ttl = max(*c.ttl, 0) }},
		[]string{"time to live is taken away", "bad times to live", "like the model"},
	}, {
		"times to live are full milliseconds",
		lasting(func(ttl time.Duration) time.Duration { return ttl.Truncate(time.Millisecond) }),
		[]string{"short and long times to live"},
	}, {
		"times to live are in 32 bits",
		lasting(func(ttl time.Duration) time.Duration { return min(ttl, math.MaxInt32*time.Millisecond) }),
		[]string{"short and long times to live", "expires in time"},
	}, {
		"times to live are full seconds",
		lasting(func(ttl time.Duration) time.Duration { return max(ttl.Truncate(time.Second), min(ttl, 1)*time.Second) }),
		[]string{"short and long times to live", "expires in time", "expired: load and list", "like the model"},
	}, {
		"times to live are forgotten",
		lasting(func(time.Duration) time.Duration { return 0 }),
		[]string{"time to live is kept and replaced", "reads do not renew", "expired: load and list", "expires in time", "like the model"},
	}, {
		"expired sessions are hidden only",
		parts{
			append: func(s *simple, key driver.Key, _ *driver.Append) { s.revive(key) },
			write:  func(s *simple, key driver.Key, _ *driver.Write) { s.revive(key) },
			delete: func(s *simple, key driver.Key, where *driver.Condition) error {
				s.revive(key)
				return s.first(key, 0, s.delete(key, where))
			},
		},
		[]string{"expired: append", "expired: write", "expired: delete", "like the model"},
	}, {
		"expired sessions are listed",
		parts{list: func(s *simple, _ driver.ListOptions) (driver.Listing, error) {
			return driver.Listing{Keys: slices.Collect(maps.Keys(s.sessions)), Total: len(s.sessions)}, nil
		}},
		[]string{"expired: load and list", "expires in time"},
	}}
}

// listing is a fault in a Listing.
func listing(change func(l *driver.Listing)) parts {
	return parts{list: func(s *simple, o driver.ListOptions) (driver.Listing, error) {
		l := s.list(o)
		change(&l)
		return l, nil
	}}
}

func listMutants() []mutant {
	return []mutant{{
		"list is in the order of the parts",
		listing(func(l *driver.Listing) {
			slices.SortFunc(l.Keys, func(a, b driver.Key) int {
				return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.UserID, b.UserID), strings.Compare(a.SessionID, b.SessionID))
			})
		}),
		[]string{"list in order"},
	}, {
		"an empty part of a filter lets all pass",
		parts{list: func(s *simple, o driver.ListOptions) (driver.Listing, error) {
			if o.Namespace != nil && *o.Namespace == "" {
				o.Namespace = nil
			}
			return s.list(o), nil
		}},
		[]string{"list by filter"},
	}, {
		"a filter is a prefix",
		parts{list: func(s *simple, o driver.ListOptions) (driver.Listing, error) {
			user := o.UserID
			o.UserID = nil
			l := s.list(o)
			if user != nil {
				l.Keys = slices.DeleteFunc(l.Keys, func(k driver.Key) bool { return !strings.HasPrefix(k.UserID, *user) })
				l.Total = len(l.Keys)
			}
			return l, nil
		}},
		[]string{"list by filter"},
	}, {
		"the total is that of the page",
		listing(func(l *driver.Listing) { l.Total = len(l.Keys) }),
		[]string{"list in pages", "like the model"},
	}, {
		"a page has 90 keys at most",
		listing(func(l *driver.Listing) { l.Keys = first(l.Keys, 90) }),
		[]string{"list by default"},
	}, {
		"a list of nothing is not found",
		parts{list: func(s *simple, o driver.ListOptions) (driver.Listing, error) {
			if len(s.sessions) == 0 {
				return driver.Listing{}, driver.ErrNotFound
			}
			return s.list(o), nil
		}},
		[]string{"list of nothing"},
	}, {
		"parts of keys are joined",
		parts{key: func(k driver.Key) driver.Key {
			return driver.Key{SessionID: k.Namespace + "/" + k.UserID + "/" + k.SessionID}
		}},
		[]string{"keys of all sorts", "keys at random"},
	}, {
		"keys are cut",
		parts{key: func(k driver.Key) driver.Key {
			k.SessionID = k.SessionID[:min(len(k.SessionID), 8000)]
			return k
		}},
		[]string{"long keys"},
	}, {
		"bad keys are taken",
		parts{key: func(k driver.Key) driver.Key {
			if k.Check() != nil {
				return driver.Key{SessionID: "bad"}
			}
			return k
		}},
		[]string{"bad keys"},
	}, {
		"contexts are of no account", parts{context: context.WithoutCancel},
		[]string{"context has ended"},
	}, {
		"close does nothing", parts{staysOpen: true},
		[]string{"closed"},
	}}
}

// listingDue is a fault in what Due lists of the sessions that are due.
func listingDue(change func(due []driver.Key, limit int) []driver.Key) parts {
	return parts{due: func(s *simple, by time.Time, limit int) []driver.Key { return change(s.dueKeys(by), limit) }}
}

// hide makes a session expire instead of removing it.
func hide(s *simple, key driver.Key, where *driver.Condition) error {
	r := s.find(key)
	if where != nil && (r == nil || !r.standsAt(*where)) {
		return driver.ErrConflict
	}
	if r != nil {
		r.until = min(s.passed, -1)
	}
	return nil
}

func reserveMutants() []mutant {
	return []mutant{{
		"load asks for half of the memory",
		parts{asks: func(r *driver.StoredSession) int64 { return asksFor(r) / 2 }},
		[]string{"asks for enough memory"},
	}, {
		"load asks for the messages alone",
		parts{asks: func(r *driver.StoredSession) int64 { return asksFor(r) - 2*int64(len(r.Head)) + 1 }},
		[]string{"asks for enough memory"},
	}, {
		"load returns what it was refused",
		parts{insists: true},
		[]string{"asks for enough memory"},
	}}
}

func dueMutants() []mutant {
	return []mutant{{
		"due is ignored",
		parts{
			append: func(_ *simple, _ driver.Key, a *driver.Append) { a.Due = time.Time{} },
			write:  func(_ *simple, _ driver.Key, w *driver.Write) { w.Due = nil },
		},
		[]string{"due by append", "due by write", "due in order", "due of keys of all sorts", "due at once", "due of many at once", "like the model"},
	}, {
		"append overwrites when a session is due",
		parts{append: func(s *simple, key driver.Key, a *driver.Append) {
			if r := s.find(key); r != nil && !a.Due.IsZero() {
				r.DueAt = time.Time{}
			}
		}},
		[]string{"due by append", "like the model"},
	}, {
		"an append of nothing makes nothing due",
		appending(func(a *driver.Append) {
			if len(a.Messages) == 0 {
				a.Due = time.Time{}
			}
		}),
		[]string{"due and deleted", "like the model"},
	}, {
		"a write that does not say when loses when a session is due",
		writing(func(_ *modelSession, w *driver.Write) {
			if w.Due == nil {
				w.Due = &time.Time{}
			}
		}),
		[]string{"due by write", "like the model"},
	}, {
		"the zero time leaves a session due",
		writing(func(_ *modelSession, w *driver.Write) {
			if w.Due != nil && w.Due.IsZero() {
				w.Due = nil
			}
		}),
		[]string{"due by write", "due of many at once", "like the model"},
	}, {
		"what is refused makes due",
		parts{change: func(s *modelSession, c change) {
			if s != nil && !c.due.IsZero() {
				s.DueAt = millis(c.due)
			}
		}},
		[]string{"due is left by what is refused", "like the model"},
	}, {
		"due to the second",
		appending(func(a *driver.Append) { a.Due = a.Due.Truncate(time.Second) }),
		[]string{"due by append", "due of keys of all sorts", "like the model"},
	}, {
		"what is gone stays due",
		parts{
			delete: hide,
			append: func(s *simple, key driver.Key, a *driver.Append) {
				if gone := s.sessions[key]; gone != nil && s.find(key) == nil {
					a.Due = gone.DueAt
				}
			},
		},
		[]string{"due and deleted", "expired: due", "like the model"},
	}, {
		"what is gone is listed until it is made again",
		parts{
			delete: hide,
			due: func(s *simple, by time.Time, limit int) []driver.Key {
				keys := s.dueKeys(by)
				for key, r := range s.sessions {
					if s.find(key) == nil && !r.DueAt.IsZero() {
						keys = append(keys, key)
					}
				}
				return first(keys, limit)
			},
		},
		[]string{"due and deleted", "expired: due", "due of many at once", "like the model"},
	}, {
		"due has no limit",
		listingDue(func(due []driver.Key, _ int) []driver.Key { return due }),
		[]string{"due in order", "like the model"},
	}, {
		"due picks some by name and puts them in order",
		listingDue(func(due []driver.Key, limit int) []driver.Key {
			some := first(sorted(due), limit)
			return slices.DeleteFunc(due, func(k driver.Key) bool { return !slices.Contains(some, k) })
		}),
		[]string{"due in order"},
	}, {
		"due at a time is not due by it",
		parts{due: func(s *simple, by time.Time, limit int) []driver.Key { return first(s.dueKeys(by.Add(-1)), limit) }},
		[]string{"due by append", "due in order", "like the model"},
	}, {
		"due looks for texts of keys",
		listingDue(func(due []driver.Key, limit int) []driver.Key {
			for i, k := range due {
				due[i], _ = driver.ParseKey(k.Namespace + "/" + k.UserID + "/" + k.SessionID)
			}
			return first(due, limit)
		}),
		[]string{"due of keys of all sorts"},
	}, {
		"what another made due later is lost",
		parts{append: func(s *simple, key driver.Key, a *driver.Append) {
			if s.find(key) != nil {
				a.Due = time.Time{}
			}
		}},
		[]string{"due by append", "due at once"},
	}}
}

func concurrencyMutants() []mutant {
	return []mutant{{
		"write looks, then writes",
		parts{write: func(s *simple, key driver.Key, w *driver.Write) {
			if s.find(key).standsAt(w.If) {
				s.pause()
				w.If = condition(s.find(key))
			}
		}},
		[]string{"made at once", "changed at once"},
	}, {
		"append writes the whole session",
		parts{append: func(s *simple, key driver.Key, _ *driver.Append) {
			read := s.find(key)
			if read == nil {
				s.pause()
				delete(s.sessions, key)
				return
			}
			was := *read
			s.pause()
			*read = was
		}},
		[]string{"appended at once", "appends and drops"},
	}, {
		"append looks for ids, then adds",
		idsAgain(func(s *simple, key driver.Key, a *driver.Append) {
			var there []string
			if r := s.find(key); r != nil {
				for id := range r.ids {
					id, _, _ = strings.Cut(id, "\x00#")
					there = append(there, id)
				}
			}
			a.Messages = slices.DeleteFunc(a.Messages, func(m driver.StoredMessage) bool { return slices.Contains(there, m.ID) })
			s.pause()
		}),
		[]string{"the same ids at once"},
	}, {
		"write writes the head, then the messages",
		parts{write: func(s *simple, key driver.Key, w *driver.Write) {
			if r := s.find(key); r != nil && r.standsAt(w.If) {
				r.Head = w.Head
				s.pause()
			}
		}},
		[]string{"reads are whole"},
	}, {
		"append loses its messages when the session is deleted",
		parts{append: func(s *simple, key driver.Key, a *driver.Append) {
			read := s.find(key)
			if s.pause(); s.find(key) != read {
				a.Messages = nil
			}
		}},
		[]string{"appended and deleted at once"},
	}, {
		"handles have data of their own", parts{separates: true},
		[]string{"handles see each other's writes"},
	}}
}
