// Connects to a server, uses everything that it lists, and prints what it received as JSON.
//
//   node client.mjs stdio COMMAND ARGUMENT…
//   node client.mjs http URL
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [protocol, target, ...args] = process.argv.slice(2);
const transport = protocol === "http"
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);

const block = async (uri) => (await client.readResource({ uri })).contents;
const call = (name, args) => client.callTool({ name, arguments: args });

const received = {
  instructions: client.getInstructions(),
  tools: (await client.listTools()).tools.map((t) => t.name),
  resources: (await client.listResources()).resources.map((r) => r.uri),
  templates: (await client.listResourceTemplates()).resourceTemplates.map((t) => t.uriTemplate),
  prompts: (await client.listPrompts()).prompts.map((p) => p.name),
  before: await block("memory://session/block"),
  other: await block("memory://sessions/new/block"),
  emptyBlock: await call("get_block", {}),
  recorded: await call("record_tool_call", { name: "find_order", result: { order: { id: "W-1042", name: "Blue kettle" } } }),
  refused: await call("record_tool_call", { name: "find_order", output: "x" }),
  after: await block("memory://session/block"),
  turn: await call("begin_turn", { query: "Where is my kettle?" }),
  prompt: (await client.getPrompt({ name: "begin_turn", arguments: { query: "Where is my kettle?" } })).messages,
};
if (protocol === "http") {
  await transport.terminateSession();
}
await client.close();
console.log(JSON.stringify(received));
