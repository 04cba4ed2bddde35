package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Fault is a fault of an implementation.
type Fault[E any] struct {
	Name string
	// Open opens an environment whose implementation has the fault.
	Open func(tb testing.TB) E
	// Cases are the names of the cases that must find it. Others may find it too.
	Cases []string
}

// Verify tests a suite. Every fault must make each case that it names fail, without a
// panic or a skip, and every case must be named by a fault. All cases must pass, without a
// skip, where nothing is wrong. The names of the cases must be unique and their About set.
func Verify[E any](t *testing.T, cases []Case[E], works func(tb testing.TB) E, faults []Fault[E]) {
	t.Helper()
	if err := checkNames(cases, faults); err != nil {
		t.Fatal(err)
	}
	t.Run("works", func(t *testing.T) {
		t.Parallel()
		for _, c := range cases {
			if err := c.passes(t, works); err != nil {
				t.Error(err)
			}
		}
	})
	for _, f := range faults {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, c := range cases {
				if !slices.Contains(f.Cases, c.Name) {
					continue
				}
				if err := c.finds(t, f); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// checkNames checks names and Abouts.
func checkNames[E any](cases []Case[E], faults []Fault[E]) error {
	var errs []error
	found := make(map[string]bool) // whether a fault names the case, for each case
	for _, c := range cases {
		if _, ok := found[c.Name]; ok {
			errs = append(errs, fmt.Errorf("two cases have the name %q", c.Name))
		}
		if c.About == "" {
			errs = append(errs, fmt.Errorf("case %q has no About", c.Name))
		}
		found[c.Name] = false
	}
	for _, f := range faults {
		if len(f.Cases) == 0 {
			errs = append(errs, fmt.Errorf("fault %q names no case", f.Name))
		}
		for _, name := range f.Cases {
			if _, ok := found[name]; !ok {
				errs = append(errs, fmt.Errorf("fault %q names case %q, which does not exist", f.Name, name))
			}
			found[name] = true
		}
	}
	for _, c := range cases {
		if !found[c.Name] {
			errs = append(errs, fmt.Errorf("case %q finds no fault", c.Name))
		}
	}
	return errors.Join(errs...)
}

// passes returns an error unless the case passes without a fault.
func (c Case[E]) passes(tb testing.TB, open func(tb testing.TB) E) error {
	r := try(tb, func(tb testing.TB) { c.check(tb, open) })
	if r.Failed() || r.Skipped() {
		return fmt.Errorf("case %q fails, or is skipped, without a fault: %s", c.Name, r.text())
	}
	return nil
}

// finds returns an error unless the case fails because of f and prints its About.
func (c Case[E]) finds(tb testing.TB, f Fault[E]) error {
	r := try(tb, func(tb testing.TB) { c.check(tb, f.Open) })
	switch {
	case r.panicked:
		return fmt.Errorf("case %q panics: %s", c.Name, r.text())
	case r.Skipped():
		return fmt.Errorf("case %q is skipped: %s", c.Name, r.text())
	case !r.Failed():
		return fmt.Errorf("case %q does not find the fault", c.Name)
	case !strings.Contains(r.text(), c.Name+": "+c.About):
		return fmt.Errorf("case %q fails without its About: %s", c.Name, r.text())
	}
	return nil
}
