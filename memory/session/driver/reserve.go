package driver

import "context"

// Reserve asks for memory for what a store is about to return: a server bounds the memory of all
// its requests. Of the reads of one store in a context the largest counts, since a later one
// replaces an earlier one. An error refuses the read, which returns it. A Reserve is safe for
// concurrent use.
type Reserve func(store any, bytes int64) error

// reserveKey is the context key of a Reserve.
type reserveKey struct{}

// WithReserve returns a context whose reads of sessions and of long-term memory ask reserve.
func WithReserve(ctx context.Context, reserve Reserve) context.Context {
	return context.WithValue(ctx, reserveKey{}, reserve)
}

// ReserveFrom returns the Reserve of a context, or nil if reads need not ask. They ask for
// decoded values when they know them. A store that can tell the size of what it will return
// asks before it reads it, for twice the size: once as stored, once decoded.
func ReserveFrom(ctx context.Context) Reserve {
	reserve, _ := ctx.Value(reserveKey{}).(Reserve)
	return reserve
}

// ReserveParts returns a function with which a store asks for each part of a read whose size it
// does not know before. The parts add up. It must not be called concurrently.
func ReserveParts(ctx context.Context, store any) func(bytes int64) error {
	reserve, sum := ReserveFrom(ctx), int64(0)
	return func(bytes int64) error {
		if reserve == nil {
			return nil
		}
		sum += bytes
		return reserve(store, sum)
	}
}
