package wire

// Summarized is what became of a summary that was asked for.
type Summarized struct {
	Status   string `json:"status" jsonschema:"done; none: there was nothing to summarise; leased: another is at it; outrun: the session changed meanwhile; queued, not queued or postponed"`
	Messages int    `json:"messages" jsonschema:"how many messages left"`
	Tokens   int    `json:"tokens" jsonschema:"the length of the summary"`
}
