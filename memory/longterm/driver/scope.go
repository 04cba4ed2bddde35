package driver

// Scope says whose records a call may see and change. Every call has one, so that
// none sees those of all tenants because it forgot to say whose it wants. The zero
// value is nobody's: ErrScope.
type Scope struct {
	set                   bool
	namespace, userID     string
	anyNamespace, anyUser bool
}

// NewScope returns the scope of a user in a namespace. nil means all of them. Either may
// be empty, which is a namespace and a user like any other.
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

// Namespace is the one that the scope is of, false if it is of all.
func (s Scope) Namespace() (string, bool) { return s.namespace, !s.anyNamespace }

// UserID is the user that the scope is of, false if it is of all.
func (s Scope) UserID() (string, bool) { return s.userID, !s.anyUser }

// Owner is the namespace and the user of a scope that is of one user in one
// namespace, false of a wider one.
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

// Holds reports whether records of an owner are in the scope.
func (s Scope) Holds(namespace, userID string) bool {
	return s.set && (s.anyNamespace || s.namespace == namespace) && (s.anyUser || s.userID == userID)
}
