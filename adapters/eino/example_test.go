package eino_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// websiteTools returns the tools of the examples.
func websiteTools() []tool.BaseTool {
	get, err := utils.InferTool("get_page", "Returns a page.", func(_ context.Context, in struct {
		Slug string `json:"slug"`
	}) (string, error) {
		return `{"page":{"id":"page-1001","title":"Home"}}`, nil
	})
	if err != nil {
		log.Fatal(err)
	}
	return []tool.BaseTool{get}
}

// yourModel is in place of a model of eino-ext. It gets the home page, and then answers.
func yourModel() model.ToolCallingChatModel {
	return newScript(calls("call_1", "get_page", `{"slug":"home"}`), say("Found it."), say("Renamed."))
}

// One line gives an agent memory. Its second run has no messages of the first, but its block.
func Example() {
	ctx, rec := context.Background(), new(middleware.Recorder)
	agent, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name:        "editor",
		Instruction: "You edit a website.",
		Model:       yourModel(),
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: websiteTools()}},
		Handlers:    []adk.ChatModelAgentMiddleware{eino.New(rec, nil)},
	})
	if err != nil {
		log.Fatal(err)
	}
	runner := adk.NewRunner(ctx, adk.RunnerConfig{Agent: agent})
	for _, said := range []string{"Get the home page.", "Rename it."} {
		events := runner.Query(ctx, said)
		for event, ok := events.Next(); ok; event, ok = events.Next() {
			if event.Err != nil {
				log.Fatal(event.Err)
			}
		}
	}
	fmt.Println(rec.Block())
	// Output:
	// [WORKING MEMORY]
	// pages:
	//   - "Home" (page-1001)
}

// In a server, the context of each run carries the recorder of its session. An
// adk.ChatModelAgent is made for each run, since its runs must not overlap.
func Example_sessions() {
	memory := eino.New(nil, nil)
	run := func(ctx context.Context, rec *middleware.Recorder) {
		agent, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
			Model:       yourModel(),
			ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: websiteTools()}},
			Handlers:    []adk.ChatModelAgentMiddleware{memory},
		})
		if err != nil {
			log.Fatal(err)
		}
		ctx = middleware.WithRecorder(ctx, rec)
		events := adk.NewRunner(ctx, adk.RunnerConfig{Agent: agent}).Query(ctx, "Get the home page.")
		for event, ok := events.Next(); ok; event, ok = events.Next() {
			if event.Err != nil {
				log.Fatal(event.Err)
			}
		}
	}
	anna, ben := new(middleware.Recorder), new(middleware.Recorder)
	run(context.Background(), anna)
	fmt.Printf("anna: %q\nben: %q\n", anna.Block(), ben.Block())
	// Output:
	// anna: "[WORKING MEMORY]\npages:\n  - \"Home\" (page-1001)"
	// ben: ""
}

func ExampleWorkingMemory_ModifyMessages() {
	ctx, rec := context.Background(), new(middleware.Recorder)
	memory := eino.New(rec, &eino.Options{Placement: prompt.PlaceTail})
	agent, err := react.NewAgent(ctx, &react.AgentConfig{
		ToolCallingModel: yourModel(),
		MessageModifier:  memory.ModifyMessages,
		ToolsConfig: compose.ToolsNodeConfig{
			Tools:               websiteTools(),
			ToolCallMiddlewares: []compose.ToolMiddleware{memory.ToolMiddleware()},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := agent.Generate(ctx, []*schema.Message{schema.UserMessage("Get the home page.")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n%s\n", answer.Content, rec.Block())
	// Output:
	// Found it.
	// [WORKING MEMORY]
	// pages:
	//   - "Home" (page-1001)
}

// A graph, or an agent whose configuration has neither handlers nor a message modifier.
func ExampleWorkingMemory_Model() {
	ctx, rec := context.Background(), new(middleware.Recorder)
	memory := eino.New(rec, nil)
	tools, err := compose.NewToolNode(ctx, &compose.ToolsNodeConfig{
		Tools:               websiteTools(),
		ToolCallMiddlewares: []compose.ToolMiddleware{memory.ToolMiddleware()},
	})
	if err != nil {
		log.Fatal(err)
	}
	graph, err := compose.NewChain[[]*schema.Message, []*schema.Message]().
		AppendChatModel(memory.Model(yourModel())).
		AppendToolsNode(tools).
		Compile(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := graph.Invoke(ctx, []*schema.Message{schema.UserMessage("Get the home page.")}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(rec.Block())
	// Output:
	// [WORKING MEMORY]
	// pages:
	//   - "Home" (page-1001)
}
