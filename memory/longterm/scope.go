package longterm

// Scope says whose records a call may see and change. Every call has one, so that
// none sees those of all tenants because it forgot to say whose it wants. The zero
// value is nobody's: ErrScope.
type Scope struct {
	set                   bool
	namespace, userID     string
	anyNamespace, anyUser bool
}

// Of is the scope of one user in one namespace. Either may be empty, which is a
// namespace and a user like any other: all whose names are not known share what
// Of("", "") holds.
func Of(namespace, userID string) Scope {
	return Scope{set: true, namespace: namespace, userID: userID}
}

// OfNamespace is the scope of all users of a namespace.
func OfNamespace(namespace string) Scope {
	return Scope{set: true, namespace: namespace, anyUser: true}
}

// OfUser is the scope of a user in all namespaces.
func OfUser(userID string) Scope { return Scope{set: true, userID: userID, anyNamespace: true} }

// Everyone is the scope of all records: for operators, not for users.
func Everyone() Scope { return Scope{set: true, anyNamespace: true, anyUser: true} }

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
