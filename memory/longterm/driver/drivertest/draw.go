package drivertest

import (
	"time"

	"pgregory.net/rapid"

	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Few different texts and times are drawn, so that filters find something.
func drawText(t *rapid.T, name string) string {
	return rapid.SampledFrom([]string{"", "a", "ab", "b", "a%", "A", "a'", "\x00"}).Draw(t, name)
}

func drawTexts(t *rapid.T, name string) []string {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return drawText(t, "text") }), 0, 3).Draw(t, name)
}

func drawTime(t *rapid.T, name string) time.Time {
	return rapid.SampledFrom([]time.Time{{}, made, made.Add(1), made.Add(time.Microsecond), made.Add(-time.Microsecond), made.Add(time.Hour), time.Unix(-1, 500_500)}).Draw(t, name)
}

func drawUser(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "a", "ab", "b"}).Draw(t, "user")
}

func drawRecord(t *rapid.T, namespace, text string) longtermdriver.Record {
	return longtermdriver.Record{
		ID: "id" + drawText(t, "id"), Namespace: namespace, UserID: drawUser(t), SessionID: drawText(t, "session"), Text: text,
		Type:   rapid.SampledFrom([]sessiondriver.RecordType{"", sessiondriver.RecordSemantic, sessiondriver.RecordEpisodic, sessiondriver.RecordMessage}).Draw(t, "type"),
		Topics: drawTexts(t, "topics"), Entities: drawTexts(t, "entities"), ExtractionStrategy: drawText(t, "strategy"),
		CreatedAt: drawTime(t, "created"), UpdatedAt: drawTime(t, "updated"), LastAccessed: drawTime(t, "accessed"), EventDate: drawTime(t, "event"),
		Pinned: rapid.Bool().Draw(t, "pinned"),
	}
}

// drawFilter draws a filter with a few conditions.
func drawFilter(t *rapid.T, namespace string) longtermdriver.RecordFilter {
	for {
		var f longtermdriver.RecordFilter
		for range rapid.IntRange(1, 3).Draw(t, "conditions") {
			switch n := rapid.IntRange(0, 12).Draw(t, "field"); {
			case n < 8:
				*textFields()[n].of(&f) = drawCondition(t, n, namespace)
			case n < 12:
				*timeFields()[n-8].of(&f) = drawTimeCondition(t)
			default:
				f.Pinned = new(rapid.Bool().Draw(t, "pinned"))
			}
		}
		if f.Check() == nil {
			return f
		}
	}
}

func drawCondition(t *rapid.T, field int, namespace string) *longtermdriver.TextCondition {
	value := func() string {
		text := drawText(t, "value")
		switch field {
		case 0:
			text = "id" + text
		case 1:
			text = rapid.SampledFrom([]string{namespace, "run", namespace + "0", ""}).Draw(t, "namespace")
		case 4:
			text = rapid.SampledFrom([]string{"", "semantic", "episodic", "se", "message"}).Draw(t, "type")
		}
		return text
	}
	values := func() []string { return []string{value(), value()}[:rapid.IntRange(1, 2).Draw(t, "values")] }
	var c longtermdriver.TextCondition
	for range rapid.IntRange(1, 2).Draw(t, "operators") {
		switch rapid.IntRange(0, 5).Draw(t, "operator") {
		case 0:
			c.Eq = new(value())
		case 1:
			c.Ne = new(value())
		case 2:
			c.Any = values()
		case 3:
			c.All = values()
		case 4:
			c.StartsWith = new(value() + rapid.SampledFrom([]string{"", "a", "-"}).Draw(t, "more"))
		case 5:
			c.None = values()
		}
	}
	return &c
}

func drawTimeCondition(t *rapid.T) *longtermdriver.TimeCondition {
	var c longtermdriver.TimeCondition
	for range rapid.IntRange(1, 2).Draw(t, "operators") {
		at := drawTime(t, "at")
		switch rapid.IntRange(0, 6).Draw(t, "operator") {
		case 0:
			c.Eq = &at
		case 1:
			c.Ne = &at
		case 2:
			c.Gt = &at
		case 3:
			c.Gte = &at
		case 4:
			c.Lt = &at
		case 5:
			c.Lte = &at
		case 6:
			c.Between = &[2]time.Time{at, drawTime(t, "until")}
		}
	}
	return &c
}
