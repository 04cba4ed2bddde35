package wire

// SummaryViewBody is the body of a request that creates a summary view.
type SummaryViewBody struct {
	Name   *string `json:"name,omitzero" jsonschema:"a name for people"`
	Source string  `json:"source" wire:"required" jsonschema:"long_term"`
	// GroupBy divides the memories into partitions.
	GroupBy List `json:"group_by" wire:"max=100" jsonschema:"the fields whose values make a partition: user_id, namespace, session_id and memory_type; one partition if empty"`
	// Filters have a text, a list of texts or an object like that of a search for each field.
	Filters        map[string]any `json:"filters,omitempty" jsonschema:"conditions on user_id, namespace, session_id, memory_type, extraction_strategy, topics and event_date: a text (equals), a list (equals one of these) or an object of operators as in a search"`
	TimeWindowDays *Int           `json:"time_window_days,omitzero" jsonschema:"only memories created in this many days before a run"`
	Continuous     *Bool          `json:"continuous,omitzero" jsonschema:"whether to summarise all partitions every hour; default false"`
	Prompt         *string        `json:"prompt,omitzero" jsonschema:"instructions for the model; default those of the server"`
	ModelName      *string        `json:"model_name,omitzero" jsonschema:"kept and returned; the model of the server writes the summaries"`
}

// SummaryView is a summary view.
type SummaryView struct {
	ID             string         `json:"id" jsonschema:"the id, a ULID"`
	Name           *string        `json:"name" jsonschema:"a name for people"`
	Source         string         `json:"source" jsonschema:"long_term"`
	GroupBy        []string       `json:"group_by" jsonschema:"the fields whose values make a partition"`
	Filters        map[string]any `json:"filters" jsonschema:"conditions, as they were written"`
	TimeWindowDays *int           `json:"time_window_days" jsonschema:"only memories created in this many days before a run; null means all"`
	Continuous     bool           `json:"continuous" jsonschema:"whether all partitions are summarised every hour"`
	Prompt         *string        `json:"prompt" jsonschema:"instructions for the model; null means those of the server"`
	ModelName      *string        `json:"model_name" jsonschema:"as it was written; without effect"`
}

// SummaryGroup is the body of a request that summarises a partition.
type SummaryGroup struct {
	Group map[string]any `json:"group" wire:"required" jsonschema:"a text for each field of the view's group_by"`
}

// SummaryPartition is the summary of a partition of a view.
type SummaryPartition struct {
	ViewID      string            `json:"view_id" jsonschema:"the id of the view"`
	Group       map[string]string `json:"group" jsonschema:"the values of the view's group_by fields"`
	Summary     string            `json:"summary" jsonschema:"the summary; empty without memories"`
	MemoryCount int               `json:"memory_count" jsonschema:"how many memories it covers"`
	Empty       bool              `json:"empty" jsonschema:"whether there were no memories"`
	EmptyReason *string           `json:"empty_reason" jsonschema:"no_matching_memories if there were none"`
	ComputedAt  Time              `json:"computed_at" jsonschema:"when the memories were read"`
}

// SummaryRun is the body of a request that summarises all partitions of a view.
type SummaryRun struct {
	TaskID *string `json:"task_id,omitzero" jsonschema:"the id of the task; default a generated one"`
}

// Task is work in the background.
type Task struct {
	ID          string  `json:"id" jsonschema:"the id of the task"`
	Type        string  `json:"type" jsonschema:"summary_view_full_run"`
	Status      string  `json:"status" jsonschema:"pending, running, success or failed"`
	ViewID      *string `json:"view_id" jsonschema:"the view that is summarised"`
	CreatedAt   Time    `json:"created_at" jsonschema:"when the task was created"`
	StartedAt   *Time   `json:"started_at" jsonschema:"when it was started"`
	CompletedAt *Time   `json:"completed_at" jsonschema:"when it succeeded or failed"`
	Error       *string `json:"error_message" jsonschema:"why it failed"`
}
