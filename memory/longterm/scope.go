package longterm

import "github.com/go-workingmemory/workingmemory/memory/longterm/driver"

// Scope names the owner or owners whose records a call may see and change. Every call needs
// one, made by Of, OfNamespace, OfUser or Everyone. The zero value is refused with ErrScope.
type Scope = driver.Scope

// Of returns the scope of one user in one namespace. Either may be empty, which is a value
// like any other: unidentified callers share Of("", "").
func Of(namespace, userID string) Scope {
	return driver.NewScope(&namespace, &userID)
}

// OfNamespace returns the scope of all users of a namespace.
func OfNamespace(namespace string) Scope {
	return driver.NewScope(&namespace, nil)
}

// OfUser returns the scope of a user in all namespaces.
func OfUser(userID string) Scope { return driver.NewScope(nil, &userID) }

// Everyone returns the scope of all records. It is for operators, not for users.
func Everyone() Scope { return driver.NewScope(nil, nil) }
