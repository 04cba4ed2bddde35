package config

import (
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Group is a group of related settings.
type Group int

// The groups.
const (
	Places   Group = iota // --store, --index
	Models                // --model, --embedding-model, --base-url
	Sessions              // --window … --encoding
	Serving               // --listen … --mcp
	Tools                 // --tools, of MCP
	Logging               // --log-level, --log-format
)

// option is a setting with its names.
type option struct {
	group Group
	name  string // of the flag and in a file
	value *value
	usage string
	// also is a second variable of the environment.
	also string
	// bare means that the flag without a value is on.
	bare bool
	// secret means that there is no flag, because others can see the arguments of a process.
	secret bool
}

// options returns all options, bound to the settings.
func (s *Settings) options() []option {
	var all []option
	for _, optionsOf := range []func() []option{s.placeOptions, s.modelOptions, s.sessionOptions, s.servingOptions, s.toolOptions, s.loggingOptions} {
		all = append(all, optionsOf()...)
	}
	return all
}

func (s *Settings) placeOptions() []option {
	return []option{
		{group: Places, name: "store", value: text(&s.Store), usage: "`STORE` of sessions and tokens: sqlite:FILE, memory:, redis://…, rediss://… or postgres://… (put one with a password into the environment)"},
		{group: Places, name: "index", value: text(&s.Index), usage: "`STORE` of long-term memory: sqlite:FILE, memory: or postgres://…; if not given, that of sessions, or sqlite:wmem.db if that is Redis"},
	}
}

func (s *Settings) modelOptions() []option {
	return []option{
		{group: Models, name: "model", value: text(&s.Model), also: "GENERATION_MODEL", usage: "`NAME` of the model that summarises and extracts memories; if not given, summaries are excerpts of the messages"},
		{group: Models, name: "embedding-model", value: text(&s.EmbeddingModel), also: "EMBEDDING_MODEL", usage: "`NAME` of the model that makes vectors; wordvectors is an English one within wmem that needs no endpoint, and with none, search is by keywords"},
		{group: Models, name: "base-url", value: text(&s.BaseURL), also: "OPENAI_BASE_URL", usage: "`URL` of an endpoint for both models that speaks OpenAI's protocol; if not given, OpenAI's own"},
		{group: Models, name: "openai-api-key", value: text(&s.APIKey), also: "OPENAI_API_KEY", usage: "the key of the endpoint", secret: true},
	}
}

func (s *Settings) sessionOptions() []option {
	return []option{
		{group: Sessions, name: "window", value: number(&s.Window, 0), usage: "context window in `TOKENS` of sessions without a window or a known model; 0 means 16000"},
		{group: Sessions, name: "threshold", value: share(&s.Threshold), also: "SUMMARIZATION_THRESHOLD", usage: "`PART` of the window that messages may take before they are summarised, more than 0 and up to 1"},
		{group: Sessions, name: "summarize", value: choice(&s.Summarize, "sync", "background", "off"), usage: "`WHEN` to summarise: sync (in the write that exceeds the threshold), background or off"},
		{group: Sessions, name: "summary-prompt", value: template(&s.SummaryPrompt), also: "PROGRESSIVE_SUMMARIZATION_PROMPT", usage: "`TEXT` that asks the model for a summary, with {prev_summary} and {messages_joined}; if not given, the built-in one"},
		{group: Sessions, name: "ttl", value: duration(&s.TTL), usage: "default `TIME` to live of sessions, such as 24h; 0s means that they do not expire"},
		{group: Sessions, name: "long-term", value: onOff(&s.LongTerm), also: "LONG_TERM_MEMORY", usage: "long-term memory: `on|off`"},
		{group: Sessions, name: "index-messages", value: onOff(&s.IndexMessages), also: "INDEX_ALL_MESSAGES_IN_LONG_TERM_MEMORY", usage: "keep messages in long-term memory, `on|off`: expired sessions are rebuilt from them"},
		{group: Sessions, name: "promote-after", value: duration(&s.PromoteAfter), usage: "`TIME` to wait for further messages before memories are extracted from new ones"},
		{group: Sessions, name: "handles", value: onOff(&s.Handles), usage: "show models short handles such as page#1 in place of long ids; each recorded call may say otherwise", bare: true},
		{group: Sessions, name: "store-results", value: results(&s.StoreResults), usage: "store results of so many `TOKENS` (8000 if no value is given) and show models a description in their place; off means that they are shown whole; each recorded call may say otherwise", bare: true},
		{group: Sessions, name: "recipes", value: recipes(&s.Rules), usage: "`DIR` with .yaml files of rules for what your tools and programs print; they go before the built-in ones"},
		{group: Sessions, name: "journal", value: journal(&s.Journal), usage: "keep the last calls of sessions for the inspector: `on|off`, in this process, or a size such as 1MiB, of each session in the store"},
		{group: Sessions, name: "budget", value: number(&s.Budget, 0), usage: "largest size of the block in `TOKENS`, filled with what is most likely needed; 0 means at most ten lines, what is in use first"},
		{group: Sessions, name: "encoding", value: encoding(&s.Encoding), usage: "`NAME` of the encoding that counts tokens: o200k_base, cl100k_base, p50k_base, r50k_base, or estimate, which takes no memory"},
	}
}

func (s *Settings) servingOptions() []option {
	return []option{
		{group: Serving, name: "listen", value: text(&s.Listen), usage: "`ADDRESS` to listen on; port 0 chooses a free one"},
		{group: Serving, name: "auth", value: choice(&s.Auth, "none", "token", "disabled=none"), also: "AUTH_MODE", usage: "who may send requests: `none|token`, anyone or those with a token (see wmem token); disabled means none"},
		{group: Serving, name: "insecure-public", value: onOff(&s.InsecurePublic), usage: "let other machines connect without tokens: anyone who reaches the address may read and delete everything", bare: true},
		{group: Serving, name: "rate", value: rate(&s.Rate), usage: "`REQUESTS` a second for each token, or for each address without tokens, in this process; 0 means no limit"},
		{group: Serving, name: "burst", value: number(&s.Burst, 0), usage: "`REQUESTS` that may come at once with --rate; 0 means the same number"},
		{group: Serving, name: "trusted-proxies", value: prefixes(&s.TrustedProxies), usage: "`ADDRESSES` or networks of the proxies in front, separated by commas, such as 10.0.0.0/8,::1: clients have the address that X-Forwarded-For names"},
		{group: Serving, name: "max-body", value: size(&s.MaxBody, 1), usage: "`SIZE` of the largest body of a request, in bytes or as 8MiB"},
		{group: Serving, name: "request-memory", value: size(&s.RequestMemory, 0), usage: "`SIZE` of the memory of all requests at once: bodies, what is read, and answers; others are refused with 503. 0 means 256MiB, or eight times --max-body"},
		{group: Serving, name: "tls-cert", value: text(&s.TLSCert), usage: "PEM `FILE` with the certificate, to serve HTTPS"},
		{group: Serving, name: "tls-key", value: text(&s.TLSKey), usage: "PEM `FILE` with the key of the certificate"},
		{group: Serving, name: "mcp", value: onOff(&s.MCP), usage: "serve the Model Context Protocol at /mcp, `on|off`"},
	}
}

func (s *Settings) toolOptions() []option {
	return []option{
		{group: Tools, name: "tools", value: names(&s.Tools), usage: "MCP `TOOLS` to offer, separated by commas: names, core (those that most agents need) or all"},
	}
}

func (s *Settings) loggingOptions() []option {
	return []option{
		{group: Logging, name: "log-level", value: level(&s.LogLevel), usage: "`LEVEL` of the log on standard error: debug, info, warn or error"},
		{group: Logging, name: "log-format", value: choice(&s.LogFormat, "text", "json"), usage: "format of the log: `text|json`"},
	}
}

// template returns the value of a prompt for summaries.
func template(p **prompt.SummaryTemplate) *value {
	return &value{kind: "text", text: "", set: func(text string) (err error) {
		*p, err = prompt.NewSummaryTemplate(text)
		return err
	}}
}
