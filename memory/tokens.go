package memory

// TokenCounter counts the tokens a model would see in a text. It must be safe
// for concurrent use, give the same count for the same text, and 0 for "".
type TokenCounter interface {
	CountTokens(text string) int
}
