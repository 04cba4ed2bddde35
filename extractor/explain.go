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
	// Is is what the value was taken for: record, alias, reference, candidate, label or nothing.
	Is string
	// Why is the reason, in words.
	Why string
	// Type is the type of the entity; empty if the value is not one.
	Type string
	// TypeFrom is the source of a record's type, in words; otherwise empty.
	TypeFrom string
	// Rule names the rule that read the value, by its file and its tool or command; empty if none did.
	Rule string
}

// Explain reads a result as Extract does, and returns a Judgement for each value that looks
// like an identifier or was taken for one. It helps people find out why something is in a
// block or missing from it. The wording of the reasons may change.
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
