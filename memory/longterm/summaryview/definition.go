package summaryview

import (
	"slices"
	"time"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Limits of views.
const (
	// MaxViews limits the views of a tenant. Concurrent calls may exceed it by their number.
	MaxViews = 100
	// MaxPartitions limits the partitions of a view, likewise.
	MaxPartitions = 1000
	// MaxMemories limits the memories that a task reads.
	MaxMemories = 100_000
	// MaxWindowDays limits Definition.WindowDays: about a hundred years.
	MaxWindowDays = 36_500
	// MaxNameBytes limits names, ids and the values of groups: 1 KiB.
	MaxNameBytes = 1 << 10
	// MaxPromptBytes limits Definition.Prompt: 8 KiB.
	MaxPromptBytes = 8 << 10
	// MaxDefinitionBytes limits a Definition as JSON: 64 KiB.
	MaxDefinitionBytes = 64 << 10
)

// Tenant is the owner of views: a namespace, a user, or a user in a namespace. An empty part is
// unbound; the views of the zero Tenant read all memories.
type Tenant struct{ Namespace, UserID string }

// hash returns the tenant as part of a key.
func (t Tenant) hash() string { return record.Digest(t.Namespace, t.UserID) }

// The fields by which a view may divide memories.
const (
	FieldUserID     = "user_id"
	FieldNamespace  = "namespace"
	FieldSessionID  = "session_id"
	FieldMemoryType = "memory_type"
)

// GroupFields returns the fields by which a view may divide memories.
func GroupFields() []string {
	return []string{FieldUserID, FieldNamespace, FieldSessionID, FieldMemoryType}
}

// Definition describes a view. It does not change after Views.Create.
type Definition struct {
	// ID is a ULID, made by Views.Create.
	ID string
	// Tenant is the owner, set by Views.Create.
	Tenant Tenant
	// Name is for people, at most MaxNameBytes.
	Name string
	// GroupBy are different GroupFields. Memories with equal values are a partition; a memory
	// without a value has the empty one. Without fields, there is one partition.
	GroupBy []string
	// Filter selects memories among those of the tenant.
	Filter longterm.RecordFilter
	// Note is any text of the caller, such as the filter in the form that a client wrote.
	Note string
	// WindowDays selects memories that were created in the last days before a run, at most
	// MaxWindowDays. 0 means all.
	WindowDays int
	// Continuous views are summarised when they are created and then every Options.Refresh.
	// Partitions whose memories have not changed keep their summary.
	Continuous bool
	// Prompt has instructions for the model, at most MaxPromptBytes. If empty,
	// prompt.DefaultMemoryInstructions apply.
	Prompt string
	// ModelName is stored for clients, at most MaxNameBytes. Summaries are written by
	// Options.Model, whatever its name is.
	ModelName string
}

// check returns ErrInvalid for a definition that cannot be stored.
func (d *Definition) check() error {
	texts := []string{d.Tenant.Namespace, d.Tenant.UserID, d.Name, d.Note, d.Prompt, d.ModelName}
	switch {
	case slices.ContainsFunc(texts, func(text string) bool { return !utf8.ValidString(text) }):
		return invalid("a text is not UTF-8")
	case len(d.Name) > MaxNameBytes || len(d.ModelName) > MaxNameBytes:
		return invalid("a name has more than %d bytes", MaxNameBytes)
	case len(d.Prompt) > MaxPromptBytes:
		return invalid("the prompt has more than %d bytes", MaxPromptBytes)
	case d.WindowDays < 0 || d.WindowDays > MaxWindowDays:
		return invalid("the window must have 0 to %d days", MaxWindowDays)
	}
	for i, field := range d.GroupBy {
		if !slices.Contains(GroupFields(), field) || slices.Contains(d.GroupBy[:i], field) {
			return invalid("a field to group by is unknown or there twice")
		}
	}
	if err := d.Filter.Check(); err != nil {
		return invalid("%w", err)
	}
	return nil
}

// groupOf returns the values of the fields by which the view divides memories.
func (d *Definition) groupOf(r *longterm.Record) map[string]string {
	group := make(map[string]string, len(d.GroupBy))
	for _, field := range d.GroupBy {
		switch field {
		case FieldUserID:
			group[field] = r.UserID
		case FieldNamespace:
			group[field] = r.Namespace
		case FieldSessionID:
			group[field] = r.SessionID
		case FieldMemoryType:
			group[field] = string(r.Type)
		}
	}
	return group
}

// selection returns the scope and the filter of the memories of a group, or of all groups if it
// is nil. The scope is that of the tenant, narrowed to what the group and the filter name, so that
// an index need not read more. possible is false if the filter excludes the group.
func (d *Definition) selection(group map[string]string, now time.Time) (in longterm.Scope, f longterm.RecordFilter, possible bool) {
	f = d.Filter
	for field, value := range group {
		var one longterm.RecordFilter // the condition on this field
		r, condition, of := longterm.Record{}, &one.UserID, &f.UserID
		switch field {
		case FieldUserID:
			r.UserID = value
		case FieldNamespace:
			r.Namespace, condition, of = value, &one.Namespace, &f.Namespace
		case FieldSessionID:
			r.SessionID, condition, of = value, &one.SessionID, &f.SessionID
		case FieldMemoryType:
			r.Type, condition, of = session.RecordType(value), &one.Type, &f.Type
		}
		if *condition = *of; !one.Matches(&r) {
			return in, f, false
		}
		*of = &longterm.TextCondition{Eq: &value}
	}
	if d.WindowDays > 0 {
		f.CreatedAt = &longterm.TimeCondition{Gte: new(now.AddDate(0, 0, -d.WindowDays))}
	}
	return scope(ownerPart(d.Tenant.Namespace, f.Namespace), ownerPart(d.Tenant.UserID, f.UserID)), f, true
}

// ownerPart returns the only namespace or user whose memories pass, or nil if several may.
func ownerPart(bound string, filter *longterm.TextCondition) *string {
	switch {
	case bound != "":
		return &bound
	case filter != nil:
		return filter.Eq
	default:
		return nil
	}
}

func scope(namespace, userID *string) longterm.Scope {
	switch {
	case namespace != nil && userID != nil:
		return longterm.Of(*namespace, *userID)
	case namespace != nil:
		return longterm.OfNamespace(*namespace)
	case userID != nil:
		return longterm.OfUser(*userID)
	default:
		return longterm.Everyone()
	}
}
