package service_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Loans never exceed the budget, are refused only if they do not fit, and a quarter of the budget
// is reserved for small ones.
func TestBudgetAsAModel(t *testing.T) {
	t.Parallel()
	const small, most = 256 << 10, 16 * 256 << 10
	rapid.Check(t, func(rt *rapid.T) {
		budget := service.NewBudget(most)
		loans := make([]*service.Loan, rapid.IntRange(1, 8).Draw(rt, "loans"))
		model := make([]map[string]int64, len(loans)) // nil once returned
		for i := range loans {
			loans[i], model[i] = budget.Loan(), map[string]int64{}
		}
		sizeOf := func(parts map[string]int64) (sum int64) {
			for _, bytes := range parts {
				sum += bytes
			}
			return sum
		}
		taken := func() (sum int64) {
			for _, parts := range model {
				sum += sizeOf(parts)
			}
			return sum
		}
		// expected returns the error of changing a loan to a size.
		expected := func(i int, size int64) error {
			before, room := sizeOf(model[i]), int64(most)
			if size > small {
				room = most * 3 / 4
			}
			switch {
			case model[i] == nil, size <= before:
				return nil
			case size > room:
				return service.ErrTooMuch
			case taken()-before+size > room:
				return service.ErrNoMemory
			}
			return nil
		}
		i := rapid.IntRange(0, len(loans)-1)
		part := rapid.SampledFrom([]string{"body", "store", "answer"})
		bytes := rapid.OneOf(rapid.Int64Range(0, small), rapid.Int64Range(0, most))
		rt.Repeat(map[string]func(*rapid.T){
			"resize": func(rt *rapid.T) {
				i, part, bytes := i.Draw(rt, "loan"), part.Draw(rt, "part"), bytes.Draw(rt, "bytes")
				want := expected(i, sizeOf(model[i])-model[i][part]+bytes)
				require.Equal(rt, want, loans[i].Resize(part, bytes))
				if want == nil && model[i] != nil {
					model[i][part] = bytes
				}
			},
			"read": func(rt *rapid.T) { // of a store: the largest counts
				i, part, bytes := i.Draw(rt, "loan"), part.Draw(rt, "part"), bytes.Draw(rt, "bytes")
				bytes = max(bytes, model[i][part])
				want := expected(i, sizeOf(model[i])-model[i][part]+bytes)
				err := driver.ReserveFrom(loans[i].Context(t.Context()))(part, bytes)
				if want == nil {
					require.NoError(rt, err)
					if model[i] != nil {
						model[i][part] = bytes
					}
					return
				}
				var shown *service.Error
				require.ErrorAs(rt, err, &shown)
				require.Equal(rt, errors.Is(want, service.ErrTooMuch), shown.Kind == service.TooLarge)
			},
			"replace": func(rt *rapid.T) {
				i, part, bytes := i.Draw(rt, "loan"), part.Draw(rt, "part"), bytes.Draw(rt, "bytes")
				want := expected(i, bytes)
				require.Equal(rt, want, loans[i].Replace(part, bytes))
				if want == nil && model[i] != nil {
					model[i] = map[string]int64{part: bytes}
				}
			},
			"return": func(rt *rapid.T) {
				i := i.Draw(rt, "loan")
				loans[i].Return()
				model[i] = nil
			},
		})
		for i := range loans {
			loans[i].Return()
		}
		require.NoError(rt, budget.Loan().Resize("all", most*3/4))
	})
}

// A store may be of any type.
func TestStoresThatAreNoKeys(t *testing.T) {
	t.Parallel()
	loan := service.NewBudget(100).Loan()
	reserve := driver.ReserveFrom(loan.Context(t.Context()))
	require.NoError(t, reserve([]int{1}, 40))
	require.NoError(t, reserve([]int{2}, 40), "one of a type counts")
	require.NoError(t, reserve(nil, 40))
	require.Error(t, reserve(map[string]int{}, 40))
}
