// Largeresult has an agent answer a question about a result of 5 MB. The model sees a
// description of the result, and reads the part that it needs.
//
//	go run ./examples/largeresult
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"regexp"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	rec, err := middleware.NewRecorder(&middleware.Options{Results: middleware.NewResults(nil)})
	if err != nil {
		return err
	}
	memory := langchain.New(rec, nil)
	tools := append(memory.ResultTools(), orders{})
	agent := memory.Agent(agents.NewOpenAIFunctionsAgent(model{}, tools))

	const question = "What is the total of order-31415?"
	fmt.Printf("user:  %s\n\n", question)
	answer, err := chains.Run(context.Background(), agents.NewExecutor(agent), question)
	if err != nil {
		return err
	}
	fmt.Printf("agent: %s\n", answer)
	if !strings.Contains(answer, total(31415)) {
		return errors.New("FAILED: the answer is wrong")
	}
	return nil
}

// orders is a tool that lists all orders of a shop.
type orders struct{}

func (orders) Name() string        { return "list_orders" }
func (orders) Description() string { return "Lists all orders. Input: {}" }

// Call returns 5 MB of JSON.
func (orders) Call(context.Context, string) (string, error) {
	var b strings.Builder
	for i := range 64_000 {
		fmt.Fprintf(&b, `,{"id":"order-%d","status":"paid","customer":"customer-%d","total":%s}`+"\n", i, i%977, total(i))
	}
	return `{"orders":[` + b.String()[1:] + `]}`, nil
}

func total(order int) string { return fmt.Sprintf("%d.%02d", order%503, order%97) }

// model is a scripted language model, which knows only the prompt.
type model struct{}

var totalPattern = regexp.MustCompile(`"?total"?: ?([0-9.]+)`)

// GenerateContent prints the result that it sees, and takes the next step.
func (model) GenerateContent(
	_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption,
) (*llms.ContentResponse, error) {
	choice := new(llms.ContentChoice)
	result, ok := messages[len(messages)-1].Parts[0].(llms.ToolCallResponse)
	if ok {
		fmt.Printf("The model sees %d bytes:\n%s\n\n", len(result.Content), result.Content)
	}
	switch {
	case !ok:
		choice.ToolCalls = call("list_orders", map[string]any{})
	case strings.HasPrefix(result.Content, "[STORED RESULT] "):
		name, _, _ := strings.Cut(strings.TrimPrefix(result.Content, "[STORED RESULT] "), "\n")
		choice.ToolCalls = call(middleware.ReadResultName, map[string]any{"handle": name, "query": "order-31415", "limit": 1})
	default:
		if found := totalPattern.FindStringSubmatch(result.Content); found != nil {
			choice.Content = "The total is " + found[1] + "."
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

// Call answers a prompt of text.
func (m model) Call(ctx context.Context, text string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, text, options...)
}

// call returns a call of a tool, in the form in which the agent declares its tools.
func call(tool string, arguments map[string]any) []llms.ToolCall {
	input, _ := json.Marshal(arguments)                                    // plain values always marshal
	wrapped, _ := json.Marshal(map[string]string{"__arg1": string(input)}) // a map of strings always marshals
	fmt.Printf("model: %s %s\n\n", tool, input)
	return []llms.ToolCall{{ID: "call_" + tool, Type: "function", FunctionCall: &llms.FunctionCall{Name: tool, Arguments: string(wrapped)}}}
}
