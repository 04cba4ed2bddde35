package extractor

import (
	"context"

	"github.com/go-workingmemory/workingmemory/extractor/internal/reading"
)

// Judgement is the role that a value of a result was given, and the reason.
type Judgement struct {
	// Path is the path of the value in the result.
	Path string
	// Value is the value; empty if it may be a secret.
	Value string
	// Is is what it was taken for: record, alias, reference, candidate, label or nothing.
	Is string
	// Why is the reason, in words.
	Why string
	// Type is the type of the entity; empty if the value is none.
	Type string
	// TypeFrom says where the type of a record comes from, in words; otherwise empty.
	TypeFrom string
	// Rule is the rule that read the value, by its file and its tool or command; empty if none did.
	Rule string
}

// Explain reads a result as Extract does, and returns what each value that looks like an
// identifier, or was taken for one, became. It is meant for people who wonder why
// something is in a block or is missing; its words may change.
func (x *EntityExtractor) Explain(ctx context.Context, in Input) ([]Judgement, error) {
	var all []Judgement
	_, err := x.extract(ctx, in, func(j reading.Judged) {
		judgement := Judgement{Path: string(j.Path), Value: string(j.Value), Is: j.Why.Is(), Why: j.Why.String(), Type: j.Type, Rule: j.Rule}
		if judgement.Is == "record" {
			judgement.TypeFrom = string(j.From)
		}
		all = append(all, judgement)
	})
	return all, err
}
