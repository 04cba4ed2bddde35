// Package config reads the settings of commands from flags, the environment and a file, in this
// order of precedence. Other settings have a default.
//
//	--threshold 0.8  ►  WMEM_THRESHOLD=0.8  ►  threshold: 0.8  ►  0.7
//	   flag               environment            --config FILE     default
//
// A command reads the groups of settings that concern it. One file serves all commands: it may
// have settings of any group, but nothing else. An empty variable counts as not set. Some
// settings have a second variable, that of redis/agent-memory-server; the one that begins with
// WMEM_ takes precedence.
package config

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Settings has the settings of all groups.
type Settings struct {
	// Store and Index are places: see package backend. An empty Index means the default.
	Store, Index string

	// Model is empty if no model is used.
	Model string
	// EmbeddingModel is WordVectors, NoEmbedder, or the name of a model of the endpoint.
	EmbeddingModel string
	// BaseURL is the URL of an endpoint that speaks OpenAI's protocol. If empty, it is OpenAI's.
	BaseURL string
	// APIKey is the key of the endpoint, a secret.
	APIKey string

	// Window is in tokens. Zero means that of the model, or session.DefaultWindow.
	Window int
	// Threshold is the share of the window that messages may take.
	Threshold float64
	// Summarize is sync, background or off.
	Summarize string
	// SummaryPrompt is nil for the default.
	SummaryPrompt *prompt.SummaryTemplate
	// TTL applies to sessions whose writes have none. Zero means that they do not expire.
	TTL time.Duration
	// LongTerm enables long-term memory, and IndexMessages keeps messages in it.
	LongTerm, IndexMessages bool
	// PromoteAfter is how long new messages wait for further ones before they are promoted.
	PromoteAfter time.Duration
	// Handles gives short handles to long ids, where a call does not say otherwise.
	Handles bool
	// StoreResults is the number of tokens from which results are stored. Zero means that they
	// are not, where a call does not say otherwise.
	StoreResults int
	// Journal is the number of bytes of the calls that are kept with each session in the store. Zero
	// means that the process keeps them, negative that they are not kept.
	Journal int64
	// Rules are those of the folder of recipes. They go before the built-in ones.
	Rules []extractor.Rule
	// Budget is the largest size of the block in tokens. Zero means the constants: see
	// prompt.Options.
	Budget int
	// Encoding counts tokens. It is the name of an encoding, or Estimate.
	Encoding string

	// Listen is an address with a port.
	Listen string
	// Auth is none or token.
	Auth string
	// InsecurePublic allows an address that other machines can reach, without tokens.
	InsecurePublic bool
	// Rate and Burst limit requests. A Rate of zero means no limit, a Burst of zero means Rate.
	Rate  float64
	Burst int
	// TrustedProxies are the proxies whose X-Forwarded-For counts.
	TrustedProxies []netip.Prefix
	// MaxBody and RequestMemory are in bytes. A RequestMemory of zero means the default of
	// rest.Options.MaxBodiesBytes.
	MaxBody, RequestMemory int64
	// TLSCert and TLSKey are files. Both or neither must be set.
	TLSCert, TLSKey string
	// MCP enables the Model Context Protocol.
	MCP bool
	// Tools are names of MCP tools and of sets of them: see mcpserver.Options.
	Tools []string

	LogLevel slog.Level
	// LogFormat is text or json.
	LogFormat string
}

// DefaultBudget is the Budget if none is set.
const DefaultBudget = 256

// Estimate is the Encoding that estimates tokens from characters.
const Estimate = "estimate"

// Values of EmbeddingModel that need no endpoint.
const (
	WordVectors = "wordvectors" // package wordvectors
	NoEmbedder  = "none"
)

// RemoteEmbedder returns the name of the embedding model of the endpoint, "" if none is used.
func (s *Settings) RemoteEmbedder() string {
	if s.EmbeddingModel == WordVectors || s.EmbeddingModel == NoEmbedder {
		return ""
	}
	return s.EmbeddingModel
}

// defaults returns the default settings.
func defaults() Settings {
	return Settings{
		Store: backend.DefaultStore, EmbeddingModel: WordVectors,
		Threshold: 0.7, Summarize: "sync", LongTerm: true, PromoteAfter: 30 * time.Second, Budget: DefaultBudget, Encoding: "o200k_base",
		Listen: "127.0.0.1:8000", Auth: "none", MaxBody: 32 << 20, MCP: true, Tools: []string{"core"},
		LogLevel: slog.LevelInfo, LogFormat: "text",
	}
}
