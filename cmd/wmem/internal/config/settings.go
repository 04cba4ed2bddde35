// Package config reads the settings of commands: from flags, the environment and a file, in
// this order of precedence; what none of them says has a default.
//
//	--threshold 0.8  ►  WMEM_THRESHOLD=0.8  ►  threshold: 0.8  ►  0.7
//	   flag               environment            --config FILE     default
//
// A command takes the groups of settings that concern it. One file can serve all commands: it
// may have settings of any group, and nothing else. A variable that is empty counts as not
// set. Some settings have a second variable, by which redis/agent-memory-server knows them;
// the one that begins with WMEM_ comes first.
package config

import (
	"log/slog"
	"time"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Settings are all settings of all groups.
type Settings struct {
	// Store and Index are places: see package backend. Index is "" for the default.
	Store, Index string

	// Model and EmbeddingModel are "" where there is none.
	Model, EmbeddingModel string
	// BaseURL is that of an endpoint that speaks OpenAI's protocol, "" for OpenAI's own.
	BaseURL string
	// APIKey is a secret.
	APIKey string

	// Window is in tokens; 0 means that of the model, or session.DefaultWindow.
	Window int
	// Threshold is the part of the window that messages may take.
	Threshold float64
	// Summarize is sync, background or off.
	Summarize string
	// SummaryPrompt is nil for the default.
	SummaryPrompt *prompt.SummaryTemplate
	// TTL is that of sessions whose writes have none; 0 means none.
	TTL time.Duration
	// LongTerm and IndexMessages say whether there is long-term memory, and whether it
	// keeps messages.
	LongTerm, IndexMessages bool
	// PromoteAfter is how long new messages wait for more to come.
	PromoteAfter time.Duration
	// Encoding is that of tokens; "estimate" for none.
	Encoding string

	// Listen is an address with a port.
	Listen string
	// Auth is none or token.
	Auth string
	// InsecurePublic allows that everybody who reaches the address may do everything.
	InsecurePublic bool
	// Rate and Burst limit requests; 0 means no limit, and as many as Rate.
	Rate  float64
	Burst int
	// MaxBody is in bytes.
	MaxBody int64
	// TLSCert and TLSKey are files; both or neither.
	TLSCert, TLSKey string
	// MCP says whether the Model Context Protocol is served too.
	MCP bool

	LogLevel slog.Level
	// LogFormat is text or json.
	LogFormat string
}

// Estimate is the Encoding that estimates tokens by the characters.
const Estimate = "estimate"

// defaults are the settings where nobody says anything.
func defaults() Settings {
	return Settings{
		Store:     backend.DefaultStore,
		Threshold: 0.7, Summarize: "sync", LongTerm: true, PromoteAfter: 30 * time.Second, Encoding: "o200k_base",
		Listen: "127.0.0.1:8000", Auth: "none", MaxBody: 32 << 20, MCP: true,
		LogLevel: slog.LevelInfo, LogFormat: "text",
	}
}
