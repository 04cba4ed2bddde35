// Package providers lets the models, embedders and vector stores of langchaingo
// (github.com/tmc/langchaingo) serve this module. It needs none of langchaingo's chains,
// agents and prompts; package langchain connects those.
//
//	llms.Model ──────────────┬─> LanguageModel ─> longterm.Promoter
//	                         └─> Summarizer ────> session.Manager, items.Store, langchain.Window
//	embeddings.Embedder ─> Embedder ─┬──────────> longterm.Memory
//	vectorstores.VectorStore <───────┘                   │
//	       └──────────> VectorIndex <────────────────────┘
//	driver.Index ────────┘
package providers
