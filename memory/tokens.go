package memory

// TokenCounter counts the tokens that a model sees in a text. It must be
// deterministic, safe for concurrent use, and return 0 for "".
type TokenCounter interface {
	CountTokens(text string) int
}
