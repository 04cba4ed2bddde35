package memory

// NotFoundError says that a collection has no item of an id.
type NotFoundError struct {
	// ID is what was asked for; it is not part of the text.
	ID string
}

// Error implements error.
func (e *NotFoundError) Error() string { return "memory: no item has this id" }
