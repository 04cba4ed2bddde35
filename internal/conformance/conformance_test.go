package conformance

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counter is what the suite of these tests is for: it counts by one, and by two.
type counter struct {
	testing.TB
	one, two int
}

func opens(one, two int) func(testing.TB) *counter {
	return func(tb testing.TB) *counter { return &counter{TB: tb, one: one, two: two} }
}

func suite() []Case[*counter] {
	return []Case[*counter]{{
		Name: "one", About: "One is one.",
		Run: func(c *counter) { require.Equal(c, 1, c.one) },
	}, {
		Name: "two", About: "Two is two.",
		Run: func(c *counter) { assert.Equal(c, 2, c.two) },
	}}
}

func faults() []Fault[*counter] {
	return []Fault[*counter]{
		{"counts too far", opens(2, 2), []string{"one"}},
		{"does not count", opens(0, 0), []string{"one", "two"}},
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	Run(t, suite(), opens(1, 2))
}

func TestVerify(t *testing.T) {
	t.Parallel()
	Verify(t, suite(), opens(1, 2), faults())
}

func TestCheckNames(t *testing.T) {
	t.Parallel()
	cases := slices.Concat(suite(), suite()[1:], []Case[*counter]{{Name: "three"}})
	err := checkNames(cases, append(faults(), Fault[*counter]{Name: "none"}, Fault[*counter]{Name: "other", Cases: []string{"four"}}))
	for _, text := range []string{
		`two cases have the name "two"`, `case "three" has no About`, `case "three" finds no fault`, `fault "none" names no case`,
		`fault "other" names case "four", which does not exist`,
	} {
		assert.ErrorContains(t, err, text)
	}
	assert.NotContains(t, err.Error(), `"one"`)
}

func TestCasesMustFindFaults(t *testing.T) {
	t.Parallel()
	broken := func(testing.TB) *counter { panic("no counter") }
	for _, test := range []struct {
		want string
		run  func(c *counter)
		open func(testing.TB) *counter
	}{
		{"does not find the fault", func(*counter) {}, opens(2, 2)},
		{"is skipped: not today", func(c *counter) { c.Skip("not today") }, opens(2, 2)},
		{"is skipped", func(c *counter) { c.Error("fails"); c.SkipNow() }, opens(2, 2)},
		{"panics: panic: lost", func(*counter) { panic("lost") }, opens(2, 2)},
		{"panics: panic: lost", func(c *counter) { c.Cleanup(func() { panic("lost") }); c.FailNow() }, opens(2, 2)},
		{"panics: panic: no counter", func(*counter) {}, broken},
	} {
		c := Case[*counter]{Name: "case", About: "It is so.", Run: test.run}
		assert.ErrorContains(t, c.finds(t, Fault[*counter]{Open: test.open}), test.want)
	}
}

func TestCasesMustPassWhereNothingIsWrong(t *testing.T) {
	t.Parallel()
	for _, run := range []func(c *counter){
		func(c *counter) { c.Errorf("%d fails", 1) },
		func(c *counter) { c.Fatalf("%d fails", 1) },
		func(c *counter) { c.Cleanup(func() { c.Fatal("1 fails") }) },
		func(c *counter) { c.Skipf("%d fails", 1) },
		func(*counter) { panic("1 fails") },
	} {
		assert.ErrorContains(t, Case[*counter]{Name: "case", Run: run}.passes(t, opens(1, 2)), "1 fails")
	}
}

func TestFailuresPrintWhatTheCaseIsAbout(t *testing.T) {
	t.Parallel()
	c := suite()[0]
	r := try(t, func(tb testing.TB) { c.check(tb, opens(2, 2)) })
	assert.True(t, r.Failed())
	assert.Contains(t, r.text(), "one: One is one.")
	r = try(t, func(tb testing.TB) { c.check(tb, opens(1, 2)) })
	assert.False(t, r.Failed())
	assert.Empty(t, r.text())
}

// file is a store that has a page, and counts how often it is closed.
type file struct{ closed int }

func (f *file) Close() error {
	f.closed++
	return nil
}

type page struct{ of *file }

func TestPart(t *testing.T) {
	t.Parallel()
	openPage, closePage := Part(func(testing.TB) *file { return &file{} }, func(f *file) *page { return &page{f} })
	one, two := openPage(t), openPage(t)
	require.NoError(t, closePage(two))
	require.NoError(t, closePage(two))
	assert.Equal(t, 0, one.of.closed)
	assert.Equal(t, 2, two.of.closed)
	assert.Error(t, closePage(&page{}))
}

func TestClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := NewClock(at)
	c.Sleep(time.Hour)
	c.Sleep(-time.Minute)
	assert.Equal(t, at.Add(59*time.Minute), c.Now())
}
