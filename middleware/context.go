package middleware

import "context"

type recorderKey struct{}

// WithRecorder binds a conversation's recorder to a context: tools that several
// conversations share record into the recorder that their call's context carries.
func WithRecorder(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

// RecorderFrom returns the recorder bound to a context, if one is.
func RecorderFrom(ctx context.Context) (*Recorder, bool) {
	r, ok := ctx.Value(recorderKey{}).(*Recorder)
	return r, ok && r != nil
}
