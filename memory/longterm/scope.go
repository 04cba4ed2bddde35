package longterm

import "github.com/go-workingmemory/workingmemory/memory/longterm/driver"

// Scope is the owner or owners whose records a call may see and change. Every call has
// one, made by Of, OfNamespace, OfUser or Everyone. The zero value is refused with ErrScope.
type Scope = driver.Scope

// Of is the scope of one user in one namespace. Either may be empty, which is a
// namespace and a user like any other: all whose names are not known share what
// Of("", "") holds.
func Of(namespace, userID string) Scope {
	return driver.NewScope(&namespace, &userID)
}

// OfNamespace is the scope of all users of a namespace.
func OfNamespace(namespace string) Scope {
	return driver.NewScope(&namespace, nil)
}

// OfUser is the scope of a user in all namespaces.
func OfUser(userID string) Scope { return driver.NewScope(nil, &userID) }

// Everyone is the scope of all records: for operators, not for users.
func Everyone() Scope { return driver.NewScope(nil, nil) }
