package drivertest

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// simpleResults is a simple store that keeps results with the sessions of its model. It is correct
// unless a part of it is replaced.
type simpleResults struct {
	*simple
	parts   resultParts
	results map[*modelSession][]driver.StoredResult
	entries map[*modelSession]*modelSession // the keys of journals in results
	named   map[driver.Key]*modelSession    // of a mutant
}

// resultParts are what a mutant of simpleResults replaces. They are called with the lock held.
type resultParts struct {
	find      func(s *simpleResults, key driver.Key) *modelSession
	check     func(r *driver.StoredResult, limit int64) error
	kind      func(driver.ResultKind) driver.ResultKind
	has       func(all []driver.StoredResult, id string) bool // of PutResult
	put       func(s *simpleResults, session *modelSession, r driver.StoredResult)
	bound     func(all []driver.StoredResult, limit int64) []driver.StoredResult
	list      func(all []driver.StoredResult)
	read      func(content, p []byte, offset int64) (int, error)
	context   func(ctx context.Context) context.Context
	asks      func(n int) int64
	borrows   bool // keeps slices that it was given
	makes     bool // makes sessions
	staysOpen bool
}

func resultHarness(p resultParts) func(testing.TB) Harness {
	return func(tb testing.TB) Harness {
		h := harness(parts{staysOpen: p.staysOpen})(tb)
		s := &simpleResults{simple: h.Open(tb).(*simple), parts: p, results: map[*modelSession][]driver.StoredResult{}, entries: map[*modelSession]*modelSession{}, named: map[driver.Key]*modelSession{}}
		h.Open = func(testing.TB) driver.Store { return s }
		return h
	}
}

// enterResults begins a call, which unlocks in the end, and returns the session.
func (s *simpleResults) enterResults(ctx context.Context, key driver.Key) (*modelSession, error) {
	s.enter()
	if s.parts.context != nil {
		ctx = s.parts.context(ctx)
	}
	if err := s.check(ctx, &key); err != nil {
		return nil, err
	}
	if s.parts.find != nil {
		return s.parts.find(s, key), nil
	}
	return s.find(key), nil
}

func (s *simpleResults) PutResult(ctx context.Context, key driver.Key, r driver.StoredResult, limit int64) error {
	session, err := s.enterResults(ctx, key)
	defer s.mu.Unlock()
	check := (*driver.StoredResult).Check
	if s.parts.check != nil {
		check = s.parts.check
	}
	if err == nil {
		err = check(&r, limit)
	}
	if err != nil {
		return err
	}
	if session == nil && s.parts.makes {
		session = s.create(key, 7, 1, nil)
	}
	if session == nil {
		return driver.ErrNotFound
	}
	session = s.listOf(session, r.Kind)
	has := hasResult
	if s.parts.has != nil {
		has = s.parts.has
	}
	if has(s.results[session], r.ID) {
		return nil
	}
	if !s.parts.borrows {
		r.Content, r.Meta = bytes.Clone(r.Content), bytes.Clone(r.Meta)
	}
	r.Size, r.CreatedAt = int64(len(r.Content)), millis(r.CreatedAt)
	if s.parts.put != nil {
		s.parts.put(s, session, r)
	} else {
		s.results[session] = append(s.results[session], r)
	}
	bound := boundResults
	if s.parts.bound != nil {
		bound = s.parts.bound
	}
	s.results[session] = bound(s.results[session], limit)
	return nil
}

func hasResult(all []driver.StoredResult, id string) bool {
	return slices.ContainsFunc(all, func(r driver.StoredResult) bool { return r.ID == id })
}

func boundResults(all []driver.StoredResult, limit int64) []driver.StoredResult {
	for len(all) > driver.MaxResults || sizeOf(all) > limit {
		all = all[1:]
	}
	return all
}

// listOf returns the key in s.results of the results of a kind.
func (s *simpleResults) listOf(session *modelSession, kind driver.ResultKind) *modelSession {
	if s.parts.kind != nil {
		kind = s.parts.kind(kind)
	}
	switch {
	case session == nil, kind >= driver.ResultKinds:
		return nil
	case kind == driver.ToolResult:
		return session
	case s.entries[session] == nil:
		s.entries[session] = &modelSession{}
	}
	return s.entries[session]
}

func (s *simpleResults) Results(ctx context.Context, key driver.Key, kind driver.ResultKind) ([]driver.ResultInfo, error) {
	session, err := s.enterResults(ctx, key)
	defer s.mu.Unlock()
	session = s.listOf(session, kind)
	all := slices.Clone(s.results[session])
	if s.parts.list != nil {
		s.parts.list(all)
	}
	var infos []driver.ResultInfo
	for _, r := range all {
		infos = append(infos, r.ResultInfo)
	}
	return infos, err
}

func (s *simpleResults) ReadResult(ctx context.Context, key driver.Key, kind driver.ResultKind, id string, p []byte, offset int64) (int, error) {
	session, err := s.enterResults(ctx, key)
	defer s.mu.Unlock()
	session = s.listOf(session, kind)
	if err != nil {
		return 0, err
	}
	if offset < 0 && s.parts.read == nil {
		return 0, driver.ErrOffset
	}
	for _, r := range s.results[session] {
		if r.ID != id {
			continue
		}
		n, err := driver.ResultRange(p, offset, r.Size)
		if reserve := driver.ReserveFrom(ctx); reserve != nil {
			asks := int64(2 * n)
			if s.parts.asks != nil {
				asks = s.parts.asks(n)
			}
			if err := reserve(s, asks); err != nil {
				return 0, err
			}
		}
		if s.parts.read != nil {
			return s.parts.read(r.Content, p, offset)
		}
		if n > 0 {
			copy(p, r.Content[offset:])
		}
		return n, err
	}
	return 0, driver.ErrNotFound
}

func TestResultSuite(t *testing.T) {
	t.Parallel()
	var faults []conformance.Fault[*resultEnv]
	for _, m := range slices.Concat(putMutants(), readMutants(), resultLifeMutants()) {
		faults = append(faults, conformance.Fault[*resultEnv]{Name: m.name, Open: newResultEnv(resultHarness(m.parts)), Cases: m.cases})
	}
	conformance.Verify(t, resultCases(), newResultEnv(resultHarness(resultParts{})), faults)
}

// A store that is no driver.ResultStore does not pass.
func TestResultsAreAnAbility(t *testing.T) {
	t.Parallel()
	_, able := harness(parts{})(t).Open(t).(driver.ResultStore)
	require.False(t, able)
	_, able = resultHarness(resultParts{})(t).Open(t).(driver.ResultStore)
	require.True(t, able)
}

// resultMutant is a store with a fault, and the cases that must find it.
type resultMutant struct {
	name  string
	parts resultParts
	cases []string
}

func putMutants() []resultMutant {
	return []resultMutant{{
		"kinds are ignored",
		resultParts{kind: func(driver.ResultKind) driver.ResultKind { return driver.ToolResult }},
		[]string{"kinds apart"},
	}, {
		"the last of two results of an id counts",
		resultParts{
			has: func([]driver.StoredResult, string) bool { return false },
			put: func(s *simpleResults, session *modelSession, r driver.StoredResult) {
				all := slices.DeleteFunc(slices.Clone(s.results[session]), func(old driver.StoredResult) bool { return old.ID == r.ID })
				s.results[session] = append(all, r)
			},
		},
		[]string{"put again", "like the model"},
	}, {
		"an id is looked for, then put",
		resultParts{
			has: func([]driver.StoredResult, string) bool { return false },
			put: func(s *simpleResults, session *modelSession, r driver.StoredResult) {
				if there := hasResult(s.results[session], r.ID); !there {
					s.pause()
					s.results[session] = append(s.results[session], r)
				}
			},
		},
		[]string{"one id at once"},
	}, {
		"spaces around ids are removed",
		resultParts{put: func(s *simpleResults, session *modelSession, r driver.StoredResult) {
			r.ID = strings.TrimSpace(r.ID)
			s.results[session] = append(s.results[session], r)
		}},
		[]string{"ids of all sorts"},
	}, {
		"the newest is first",
		resultParts{list: slices.Reverse[[]driver.StoredResult]},
		[]string{"oldest first", "put and read"},
	}, {
		"there is no limit",
		resultParts{bound: func(all []driver.StoredResult, _ int64) []driver.StoredResult { return all }},
		[]string{"the oldest give way", "as many as there may be", "put and read at once", "like the model"},
	}, {
		"one more than needed is removed",
		resultParts{bound: func(all []driver.StoredResult, limit int64) []driver.StoredResult {
			if sizeOf(all) > limit {
				return boundResults(all, limit)[1:]
			}
			return boundResults(all, limit)
		}},
		[]string{"the oldest give way", "like the model"},
	}, {
		"results of any size are put",
		resultParts{check: func(*driver.StoredResult, int64) error { return nil }},
		[]string{"bad results"},
	}, {
		"slices are those of the caller", resultParts{borrows: true},
		[]string{"input is not kept"},
	}, {
		"a result makes its session", resultParts{makes: true},
		[]string{"no session, no result"},
	}, {
		"a result stays if its session is deleted while it is put",
		resultParts{put: func(s *simpleResults, session *modelSession, r driver.StoredResult) {
			s.pause()
			if !slices.Contains(slices.Collect(maps.Values(s.sessions)), session) {
				session = nil
			}
			s.results[session] = append(s.results[session], r)
		}},
		[]string{"put and deleted at once"},
	}, {
		"a result counts as a write",
		resultParts{put: func(s *simpleResults, session *modelSession, r driver.StoredResult) {
			session.Revision++
			s.results[session] = append(s.results[session], r)
		}},
		[]string{"the session stays as it is"},
	}, {
		"a result is listed before its content is there",
		resultParts{put: func(s *simpleResults, session *modelSession, r driver.StoredResult) {
			half := r
			half.Content = make([]byte, len(r.Content))
			s.results[session] = append(s.results[session], half)
			s.pause()
			copy(half.Content, r.Content)
		}},
		[]string{"put and read at once"},
	}, {
		"times are kept to the second",
		resultParts{put: func(s *simpleResults, session *modelSession, r driver.StoredResult) {
			r.CreatedAt = r.CreatedAt.Truncate(time.Second)
			s.results[session] = append(s.results[session], r)
		}},
		[]string{"put and read"},
	}}
}

func readMutants() []resultMutant {
	return []resultMutant{{
		"contexts are ignored",
		resultParts{context: context.WithoutCancel},
		[]string{"ended contexts"},
	}, {
		"Close does nothing", resultParts{staysOpen: true},
		[]string{"closed"},
	}, {
		"a part is read within one chunk",
		resultParts{read: func(content, p []byte, offset int64) (int, error) {
			n, err := driver.ResultRange(p, offset, int64(len(content)))
			if offset < 0 {
				return 0, driver.ErrOffset
			}
			if n == 0 {
				return 0, err
			}
			const chunk = 1 << 18
			return copy(p, content[offset:min(offset-offset%chunk+chunk, int64(len(content)))]), err
		}},
		[]string{"put and read", "parts at the edges"},
	}, {
		"the end is no error",
		resultParts{read: func(content, p []byte, offset int64) (int, error) {
			if offset < 0 {
				return 0, driver.ErrOffset
			}
			return copy(p, content[min(offset, int64(len(content))):]), nil
		}},
		[]string{"parts at the edges"},
	}, {
		"less memory is asked for than is used",
		resultParts{asks: func(n int) int64 { return int64(n) }},
		[]string{"memory of a read"},
	}}
}

func resultLifeMutants() []resultMutant {
	return []resultMutant{{
		"results stay when their session is deleted",
		resultParts{find: func(s *simpleResults, key driver.Key) *modelSession {
			if s.find(key) == nil {
				return nil
			}
			if s.named[key] == nil {
				s.named[key] = &modelSession{}
			}
			return s.named[key]
		}},
		[]string{"deleted with the session", "expire with the session", "like the model"},
	}, {
		"results do not expire",
		resultParts{find: func(s *simpleResults, key driver.Key) *modelSession { return s.sessions[key] }},
		[]string{"expire with the session"},
	}, {
		"results keep the first expiry",
		resultParts{find: func(s *simpleResults, key driver.Key) *modelSession {
			session := s.find(key)
			if session != nil && s.passed > shortTTL {
				delete(s.results, session)
			}
			return session
		}},
		[]string{"renewed with the session"},
	}}
}
