// Package longterm keeps memories beyond their sessions, and finds them again: facts
// that a session holds are promoted, extracted from its messages by a model or from its
// tool calls without one, and what fits the user's next question comes back into the
// prompt, in whichever session.
package longterm
