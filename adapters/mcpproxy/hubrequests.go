package mcpproxy

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// serve answers a request of the client, or passes it to a server.
func (h *Hub) serve(m *message) {
	ctx, cancel := context.WithTimeout(h.ctx, askTimeout)
	defer cancel()
	answer := func(text []byte) { h.deliver(Packet{Text: text}) }
	switch m.method {
	case methodInitialize:
		answer(h.initialize(ctx, m))
	case methodDiscover:
		answer(errorFor(m, codeMethodNotFound, "Method not found"))
	case "ping":
		answer(resultFor(m, []byte("{}")))
	case "logging/setLevel":
		h.askAll(ctx, h.alive(), m)
		answer(resultFor(m, []byte("{}")))
	case methodListTools, "prompts/list", methodResources, methodTemplates:
		answer(resultFor(m, h.list(ctx, m.method)))
	case methodCallTool:
		h.forwardTo(ctx, m, methodListTools, "name")
	case "prompts/get":
		h.forwardTo(ctx, m, "prompts/list", "name")
	case methodRead, "resources/subscribe", "resources/unsubscribe":
		h.forwardTo(ctx, m, methodResources, "uri")
	default:
		h.tryAll(m)
	}
}

// forwardTo passes a request to the server that listed what one of its parameters names.
func (h *Hub) forwardTo(ctx context.Context, m *message, list, parameter string) {
	named := m.param(parameter)
	to, ok := h.lookUp(ctx, list, named)
	if !ok {
		h.tryAll(m)
		return
	}
	text := m.text
	if to.name != named {
		at, _ := members(m.text, m.params, parameter)
		text = apply(text, []edit{{at[0], quoted(to.name)}})
	}
	h.mu.Lock()
	gone := to.server.gone
	if !gone {
		to.server.forwarded[m.id] = *m
	}
	h.mu.Unlock()
	if gone {
		h.deliver(Packet{Text: errorFor(m, codeInternalError, "The server "+to.server.name+" has ended")})
		return
	}
	_ = to.server.conn.Send(ctx, Packet{Text: text}) // its pump sees the end
}

// tryAll passes a request to one server after another until one does not answer with an error, and
// the last answer to the client. It waits as long as a server takes.
func (h *Hub) tryAll(m *message) {
	text := errorFor(m, codeInternalError, "No server answers")
	for _, s := range h.alive() {
		answer, err := h.ask(h.ctx, s, m.method, m.params.of(m.text))
		if err != nil {
			continue
		}
		text = apply(answer.text, []edit{{answer.idAt, m.idAt.of(m.text)}})
		if answer.result.isPresent() {
			break
		}
	}
	h.deliver(Packet{Text: text})
}

// errGone is returned for a request to a server that has ended.
var errGone = errors.New("mcpproxy: the server has ended")

// ask sends a request of the Hub's own and returns its answer.
func (h *Hub) ask(ctx context.Context, s *hubServer, method string, params []byte) (message, error) {
	answer := make(chan message, 1)
	h.mu.Lock()
	if s.gone {
		h.mu.Unlock()
		return message{}, errGone
	}
	h.asked++
	id := "workingmemory-" + strconv.Itoa(h.asked)
	s.asks[`"`+id] = answer
	h.mu.Unlock()
	text := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"%s","method":%s`, id, quoted(method))
	if len(params) > 0 {
		text = append(append(text, `,"params":`...), params...)
	}
	if err := s.conn.Send(ctx, Packet{Text: append(text, "}\n"...)}); err != nil {
		return message{}, err
	}
	select {
	case m, ok := <-answer:
		if !ok {
			return m, errGone
		}
		return m, nil
	case <-ctx.Done():
		h.mu.Lock()
		delete(s.asks, `"`+id)
		h.mu.Unlock()
		return message{}, ctx.Err()
	}
}

// askAll asks servers the same at once. Of a server that does not answer, the message is empty.
func (h *Hub) askAll(ctx context.Context, servers []*hubServer, m *message) []message {
	answers := make([]message, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() {
			answers[i], _ = h.ask(ctx, s, m.method, m.params.of(m.text))
		})
	}
	all.Wait()
	return answers
}

// initializeResult is the part of the answer to initialize that is joined.
type initializeResult struct {
	ProtocolVersion string         `json:"protocolVersion"`
	Capabilities    map[string]any `json:"capabilities"`
	Instructions    string         `json:"instructions,omitempty"`
	ServerInfo      serverInfo     `json:"serverInfo"`
}

type serverInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// initialize returns the answer to initialize of all servers together.
func (h *Hub) initialize(ctx context.Context, m *message) []byte {
	joined := initializeResult{ServerInfo: serverInfo{"workingmemory", "1"}, Capabilities: map[string]any{}}
	servers := h.alive()
	for i, answer := range h.askAll(ctx, servers, m) {
		var one initializeResult
		if !answer.result.isPresent() || jsonv2.Unmarshal(answer.result.of(answer.text), &one, lenient) != nil {
			h.logger.WarnContext(ctx, "mcpproxy: a server is left out: it did not initialize", "server", servers[i].name)
			h.work.Go(func() { _ = servers[i].conn.Close() })
			continue
		}
		if joined.ProtocolVersion == "" || one.ProtocolVersion < joined.ProtocolVersion {
			joined.ProtocolVersion = one.ProtocolVersion
		}
		merge(joined.Capabilities, one.Capabilities)
		if one.Instructions != "" {
			joined.Instructions += servers[i].name + ": " + one.Instructions + "\n"
		}
	}
	result, err := jsonv2.Marshal(joined, jsonv2.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil || joined.ProtocolVersion == "" {
		return errorFor(m, codeInternalError, "No server could be initialized")
	}
	return resultFor(m, result)
}

// merge adds the members of an object to another one, recursively. True counts before false.
func merge(into, from map[string]any) {
	for name, value := range from {
		known, both := into[name].(map[string]any)
		more, ok := value.(map[string]any)
		switch {
		case both && ok:
			merge(known, more)
		case into[name] != true:
			into[name] = value
		}
	}
}
