package driver

// Scope names the owner or owners whose records a call may see and change. Every call needs
// one, so that none reaches the records of all tenants by omission. The zero value is refused
// with ErrScope.
type Scope struct {
	set                   bool
	namespace, userID     string
	anyNamespace, anyUser bool
}

// NewScope returns the scope of a user in a namespace. nil means any. Either may be empty, which
// is a value like any other.
func NewScope(namespace, userID *string) Scope {
	s := Scope{set: true, anyNamespace: namespace == nil, anyUser: userID == nil}
	if namespace != nil {
		s.namespace = *namespace
	}
	if userID != nil {
		s.userID = *userID
	}
	return s
}

// Namespace returns the namespace of the scope. It reports false if the scope has all.
func (s Scope) Namespace() (string, bool) { return s.namespace, !s.anyNamespace }

// UserID returns the user of the scope. It reports false if the scope has all.
func (s Scope) UserID() (string, bool) { return s.userID, !s.anyUser }

// Owner returns the namespace and user of a scope with one owner. It reports false for a wider
// scope.
func (s Scope) Owner() (namespace, userID string, ok bool) {
	return s.namespace, s.userID, s.set && !s.anyNamespace && !s.anyUser
}

// Check returns ErrScope for the zero value.
func (s Scope) Check() error {
	if !s.set {
		return ErrScope
	}
	return nil
}

// Holds reports whether the records of an owner are in the scope.
func (s Scope) Holds(namespace, userID string) bool {
	return s.set && (s.anyNamespace || s.namespace == namespace) && (s.anyUser || s.userID == userID)
}
