package eino_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

// starting is a tool that starts to stream its result.
type starting func() (*schema.StreamReader[string], error)

// streaming runs a tool in one of the wrappers.
type streaming func(ctx context.Context, w *eino.WorkingMemory, start starting) (*schema.StreamReader[string], error)

const arguments = `{"page_id":"` + homeID + `"}`

var input = &compose.ToolInput{Name: "get_page", CallID: "c1", Arguments: arguments}

func toParts(text string) (*schema.ToolResult, error) {
	return &schema.ToolResult{Parts: []schema.ToolOutputPart{{Type: schema.ToolPartTypeText, Text: text}}}, nil
}

func toText(result *schema.ToolResult) (string, error) { return result.Parts[0].Text, nil }

// convert returns a stream with its parts converted, unless starting it failed.
func convert[T, U any](r *schema.StreamReader[T], err error, part func(T) (U, error)) (*schema.StreamReader[U], error) {
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderWithConvert(r, part), nil
}

var streamings = map[string]streaming{
	"handler": func(ctx context.Context, w *eino.WorkingMemory, start starting) (*schema.StreamReader[string], error) {
		run, _ := w.WrapStreamableToolCall(ctx, func(context.Context, string, ...tool.Option) (*schema.StreamReader[string], error) {
			return start()
		}, &adk.ToolContext{Name: "get_page", CallID: "c1"})
		return run(ctx, arguments)
	},
	"enhanced handler": func(ctx context.Context, w *eino.WorkingMemory, start starting) (*schema.StreamReader[string], error) {
		run, _ := w.WrapEnhancedStreamableToolCall(ctx, func(context.Context, *schema.ToolArgument, ...tool.Option) (*schema.StreamReader[*schema.ToolResult], error) {
			r, err := start()
			return convert(r, err, toParts)
		}, &adk.ToolContext{Name: "get_page", CallID: "c1"})
		r, err := run(ctx, &schema.ToolArgument{Text: arguments})
		return convert(r, err, toText)
	},
	"tool middleware": func(ctx context.Context, w *eino.WorkingMemory, start starting) (*schema.StreamReader[string], error) {
		out, err := w.ToolMiddleware().Streamable(func(context.Context, *compose.ToolInput) (*compose.StreamToolOutput, error) {
			r, err := start()
			if err != nil {
				return nil, err
			}
			return &compose.StreamToolOutput{Result: r}, nil
		})(ctx, input)
		if err != nil {
			return nil, err
		}
		return out.Result, nil
	},
	"enhanced tool middleware": func(ctx context.Context, w *eino.WorkingMemory, start starting) (*schema.StreamReader[string], error) {
		out, err := w.ToolMiddleware().EnhancedStreamable(func(context.Context, *compose.ToolInput) (*compose.EnhancedStreamableToolOutput, error) {
			r, err := start()
			if err != nil {
				return nil, err
			}
			return &compose.EnhancedStreamableToolOutput{Result: schema.StreamReaderWithConvert(r, toParts)}, nil
		})(ctx, input)
		if err != nil {
			return nil, err
		}
		return convert(out.Result, nil, toText)
	},
}

// runStreaming runs a tool with a result in one of the wrappers.
func runStreaming(t *testing.T, run streaming, w *eino.WorkingMemory, result *schema.StreamReader[string]) *schema.StreamReader[string] {
	out, err := run(t.Context(), w, func() (*schema.StreamReader[string], error) { return result, nil })
	require.NoError(t, err)
	return out
}

// eachStreaming runs a test with each wrapper, and with the sender of the tool's result.
func eachStreaming(t *testing.T, test func(t *testing.T, r *adaptertest.Record, in *schema.StreamWriter[string], out *schema.StreamReader[string])) {
	t.Helper()
	for name, run := range streamings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := adaptertest.NewRecord(t)
			result, in := schema.Pipe[string](4)
			test(t, r, in, runStreaming(t, run, eino.New(r.Recorder, nil), result))
		})
	}
}

func TestStreamIsPassedOnAndRecordedBeforeItsEnd(t *testing.T) {
	t.Parallel()
	eachStreaming(t, func(t *testing.T, r *adaptertest.Record, in *schema.StreamWriter[string], out *schema.StreamReader[string]) {
		for _, chunk := range []string{page(homeID)[:20], page(homeID)[20:]} {
			in.Send(chunk, nil)
			got, err := out.Recv() // while the tool has more to send
			require.NoError(t, err)
			assert.Equal(t, chunk, got)
			assert.Empty(t, r.Names())
		}
		in.Close()
		_, err := out.Recv()
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, []string{"get_page " + homeID}, r.Names())
		assert.Equal(t, page(homeID), r.Calls()[0].Result)
		assert.Equal(t, "c1", r.Calls()[0].ID)
		assert.Contains(t, r.Block(), homeID)
		out.Close()
	})
}

func TestStreamError(t *testing.T) {
	t.Parallel()
	eachStreaming(t, func(t *testing.T, r *adaptertest.Record, in *schema.StreamWriter[string], out *schema.StreamReader[string]) {
		failure := errors.New("connection lost")
		in.Send(page(homeID), nil)
		in.Send("", failure)
		in.Close()
		_, err := drain(out)
		require.ErrorIs(t, err, failure)
		require.Equal(t, []string{"get_page " + homeID}, r.Names())
		require.ErrorIs(t, r.Calls()[0].Err, failure)
		assert.Empty(t, r.Block())
	})
}

func TestStreamCanceledByEino(t *testing.T) {
	t.Parallel()
	eachStreaming(t, func(t *testing.T, r *adaptertest.Record, in *schema.StreamWriter[string], out *schema.StreamReader[string]) {
		in.Send(page(homeID)[:20], nil)
		in.Send("", fmt.Errorf("tool: %w", adk.ErrStreamCanceled))
		in.Close()
		_, _ = out.Recv()
		_, err := out.Recv()
		require.ErrorIs(t, err, adk.ErrStreamCanceled)
		_, err = out.Recv() // the tools node reads on
		require.ErrorIs(t, err, io.EOF)
		assert.Empty(t, r.Names())
	})
}

func TestAbandonedStream(t *testing.T) {
	t.Parallel()
	eachStreaming(t, func(t *testing.T, r *adaptertest.Record, in *schema.StreamWriter[string], out *schema.StreamReader[string]) {
		in.Send(page(homeID), nil)
		_, err := out.Recv()
		require.NoError(t, err)
		out.Close()
		assert.True(t, in.Send("", nil), "the tool learns that its stream is closed")
		in.Close()
		assert.Empty(t, r.Names())
	})
}

func TestMergedStreams(t *testing.T) {
	t.Parallel()
	r := adaptertest.NewRecord(t)
	merged := schema.MergeNamedStreamReaders(map[string]*schema.StreamReader[string]{
		"a": schema.StreamReaderFromArray([]string{page(homeID)}),
		"b": schema.StreamReaderFromArray([]string{}),
	})
	out := runStreaming(t, streamings["handler"], eino.New(r.Recorder, nil), merged)
	for ended := 0; ; {
		_, err := out.Recv()
		if errors.Is(err, io.EOF) {
			assert.Equal(t, 2, ended)
			break
		}
		if _, ok := schema.GetSourceName(err); ok {
			ended++
		}
	}
	require.Equal(t, []string{"get_page " + homeID}, r.Names())
	assert.NoError(t, r.Calls()[0].Err)
}

func TestStreamThatDoesNotStart(t *testing.T) {
	t.Parallel()
	for name, run := range streamings {
		for failure, recorded := range map[error]int{errors.New("no such page"): 1, tool.Interrupt(t.Context(), "may it run?"): 0} {
			r := adaptertest.NewRecord(t)
			_, err := run(t.Context(), eino.New(r.Recorder, nil), func() (*schema.StreamReader[string], error) { return nil, failure })
			require.Equal(t, failure, err, name)
			require.Len(t, r.Calls(), recorded, name)
			for _, c := range r.Calls() {
				assert.Equal(t, failure, c.Err)
			}
		}
	}
}

func TestStreamWithoutRecorder(t *testing.T) {
	t.Parallel()
	result := schema.StreamReaderFromArray([]string{page(homeID)})
	assert.Same(t, result, runStreaming(t, streamings["handler"], eino.New(nil, nil), result))
}
