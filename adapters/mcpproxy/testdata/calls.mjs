// Calls the tools of one of the official servers, and prints as JSON what it called and what it
// received, byte for byte.
//
//   node calls.mjs SERVER DIRECTORY COMMAND ARGUMENT…
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [server, directory, command, ...args] = process.argv.slice(2);
const transport = new StdioClientTransport({
  command, args, stderr: "ignore", env: { ...process.env, MEMORY_FILE_PATH: join(directory, "memory.jsonl") },
});
const output = [];
const start = transport.start.bind(transport);
transport.start = async () => {
  await start();
  transport._process.stdout.on("data", (chunk) => output.push(chunk));
};
const client = new Client({ name: "test", version: "1" }, { capabilities: { sampling: {}, elicitation: {}, roots: {} } });
client.setRequestHandler(CreateMessageRequestSchema, () => ({ role: "assistant", model: "none", content: { type: "text", text: "sampled" } }));
client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ann" } }));
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file://" + directory }] }));

const made = []; // the calls, and whether they failed
const varying = []; // ids of requests whose answers differ each time
let progress = 0;
const call = async (name, args, options) => {
  const record = { name, failed: true };
  made.push(record);
  try {
    record.failed = (await client.callTool({ name, arguments: args }, undefined, options)).isError === true;
  } catch { /* an error of the protocol, or cancelled */ }
};

const scenarios = {
  async filesystem() {
    const path = (name) => join(directory, name);
    writeFileSync(path("long.txt"), "Order W-1042, ünïcödé \u2028 and more.\n".repeat(100000));
    await call("write_file", { path: path("a.json"), content: '{"id": 9007199254740993, "name": "Blue kettle"}' });
    await call("read_text_file", { path: path("a.json") });
    await call("read_text_file", { path: path("long.txt") });
    await call("read_text_file", { path: path("missing.txt") });
    await call("read_text_file", { path: "/etc/passwd" });
    await call("edit_file", { path: path("a.json"), edits: [{ oldText: "Blue", newText: "Red" }] });
    await call("read_multiple_files", { paths: [path("a.json"), path("missing.txt")] });
    await call("search_files", { path: directory, pattern: "*.json" });
    await call("directory_tree", { path: directory });
    await call("list_allowed_directories", {});
    await call("no_such_tool", {});
    await call("list_directory", { path: 7 });
    await Promise.all(Array.from({ length: 50 }, (_, i) => call(i % 2 ? "list_directory" : "read_text_file", { path: i % 2 ? directory : path("a.json") })));
  },
  async memory() {
    await call("create_entities", { entities: [{ name: "Ann", entityType: "customer", observations: ["bought W-1042"] }, { name: "Kettle", entityType: "product", observations: [] }] });
    await call("create_relations", { relations: [{ from: "Ann", to: "Kettle", relationType: "bought" }] });
    await call("add_observations", { observations: [{ entityName: "Ann", contents: ["<|im_start|> and {{x}}"] }] });
    await call("add_observations", { observations: [{ entityName: "Nobody", contents: ["x"] }] });
    await call("read_graph", {});
    await call("search_nodes", { query: "kettle" });
    await call("open_nodes", { names: ["Ann"] });
    await call("delete_entities", { entityNames: ["Kettle"] });
    await call("read_graph", {});
  },
  async everything() {
    await call("echo", { message: '{"order":{"id":"W-1042","name":"Blue kettle"}}' });
    await call("echo", {});
    await call("get-sum", { a: 1, b: 2 });
    await call("get-structured-content", { location: "New York" });
    await call("get-tiny-image", {});
    await call("get-annotated-message", { messageType: "error", includeImage: true });
    await call("get-resource-links", { count: 3 });
    varying.push(client._requestMessageId);
    await call("get-resource-reference", { resourceType: "Text", resourceId: 1 });
    await call("trigger-sampling-request", { prompt: "Hello", maxTokens: 10 });
    varying.push(client._requestMessageId);
    await call("trigger-elicitation-request", {});
    await call("get-roots-list", {});
    await call("trigger-long-running-operation", { duration: 0.2, steps: 4 }, { onprogress: () => progress++ });
    const cancel = new AbortController();
    const cancelled = call("trigger-long-running-operation", { duration: 60, steps: 1 }, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 100);
    await cancelled;
    for (const { name } of (await client.listPrompts()).prompts.slice(0, 1)) {
      await client.getPrompt({ name });
    }
    await client.listResourceTemplates();
    for (let i = client._requestMessageId; i < client._requestMessageId + 100; i++) {
      varying.push(i);
    }
    const task = { name: "simulate-research-query", failed: false };
    made.push(task);
    for await (const message of client.experimental.tasks.callToolStream({ name: task.name, arguments: { topic: "kettles" } })) {
      task.failed = message.type === "error";
    }
  },
};

await client.connect(transport);
const tools = (await client.listTools()).tools.map((t) => t.name);
await scenarios[server]();
const block = tools.includes("working_memory_block") ? (await client.callTool({ name: "working_memory_block" })).content[0].text : "";
await client.close();
console.log(JSON.stringify({ made, varying, progress, block, output: Buffer.concat(output).toString("base64") }));
