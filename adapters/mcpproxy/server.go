package mcpproxy

import (
	"context"
)

// fromServer returns a message of the server as the client is to receive it, or nil if it is sent
// later.
func (r *relay) fromServer(ctx context.Context, text []byte) []byte {
	m, ok := parse(text)
	if !ok || !m.isAnswer() {
		return text
	}
	req := r.pending.take(m.id)
	if req == nil {
		return text
	}
	switch req.method {
	case methodInitialize, methodDiscover:
		return r.withCapabilities(&m)
	case methodListTools:
		return r.withTools(&m)
	case methodResources:
		return withEntries(&m, "resources", nil, blockResource)
	case methodTemplates:
		return withEntries(&m, "resourceTemplates", nil)
	}
	if req.running == nil {
		return text
	}
	return r.endCall(ctx, &m, req)
}

// endCall records an answered call, and returns the answer if it need not wait for that.
func (r *relay) endCall(ctx context.Context, m *message, req *request) []byte {
	if req.asTask && r.isTask(m, req) {
		return m.text
	}
	if !r.rewrites && r.opts.ResultBlock == BlockNowhere {
		r.record(m, req)
		return m.text
	}
	r.answers.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.opts.RecordTimeout)
		defer cancel()
		r.finish(ctx, m, req)
		text := r.withBlock(ctx, shown(m, req.running))
		_ = r.client.Send(ctx, Packet{Text: text}) // relayServer returns the same error
	})
	return nil
}

// isTask reports whether a call became a task, and keeps it until its result is asked for.
func (r *relay) isTask(m *message, req *request) bool {
	found, _ := members(m.text, m.result, "task")
	task, _ := members(m.text, found[0], "taskId")
	id, ok := stringOf(m.text, task[0])
	if ok {
		r.tasks.put(id, req.running)
	}
	return ok
}

// withCapabilities adds the capabilities that own tools and resources need.
func (r *relay) withCapabilities(m *message) []byte {
	if name := serverName(m); name != "" {
		r.name.Store(&name)
	}
	found, _ := members(m.text, m.result, "capabilities")
	has, ok := members(m.text, found[0], "tools", "resources")
	if !ok {
		return m.text
	}
	var missing [][]byte
	for i, entry := range []string{`"tools":{}`, `"resources":{}`} {
		if !has[i].isPresent() {
			missing = append(missing, []byte(entry))
		}
	}
	if len(missing) == 0 {
		return m.text
	}
	return apply(m.text, []edit{appended(m.text, found[0], joined(missing))})
}

// serverName returns the name that a server gives itself, or "".
func serverName(m *message) string {
	found, _ := members(m.text, m.result, "serverInfo", "_meta")
	info := found[0]
	if !info.isPresent() { // in versions of the protocol from 2026-07-28 on
		meta, _ := members(m.text, found[1], "io.modelcontextprotocol/serverInfo")
		info = meta[0]
	}
	name, _ := members(m.text, info, "name")
	value, _ := stringOf(m.text, name[0])
	return value
}

// withTools adds the own tools to the last page of a list, except for those whose names the server
// uses. If results are changed, output schemas are removed, because results may not match them.
func (r *relay) withTools(m *message) []byte {
	var edits []edit
	found, _ := members(m.text, m.result, "tools")
	list, _ := elements(m.text, found[0])
	for _, tool := range list {
		parts, _ := members(m.text, tool, "name", "outputSchema")
		if name, ok := stringOf(m.text, parts[0]); ok && r.ownTool(name) != nil {
			r.hidden.Store(name, true)
		}
		if r.rewrites && parts[1].isPresent() {
			edits = append(edits, removed(m.text, tool, parts[1]))
		}
	}
	var entries [][]byte
	for i := range r.own {
		if _, hidden := r.hidden.Load(r.own[i].name); !hidden {
			entries = append(entries, r.own[i].listed)
		}
	}
	return withEntries(m, "tools", edits, entries...)
}

// withEntries adds entries to the last page of a list, besides other edits. The list of a server
// that does not know the method is empty.
func withEntries(m *message, list string, edits []edit, entries ...[]byte) []byte {
	if m.errorCode() == codeMethodNotFound {
		all := append([]byte(`{"`+list+`":[`), joined(entries)...)
		return resultFor(m, append(all, "]}"...))
	}
	found, _ := members(m.text, m.result, list, "nextCursor")
	more, _ := stringOf(m.text, found[1])
	if _, ok := elements(m.text, found[0]); ok && more == "" && len(entries) > 0 {
		edits = append(edits, appended(m.text, found[0], joined(entries)))
	}
	return apply(m.text, edits)
}
