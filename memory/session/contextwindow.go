package session

import (
	"strings"
)

// Models returns the context windows of known models, in tokens, by name. The caller owns
// the map.
//
// The numbers include input and output. They come from public lists of models of 2026 and
// were not all checked with the providers; where sources differ, the smallest is given.
// Options.Models adds to them and replaces them.
func Models() map[string]int {
	const k, m = 1000, 1000 * 1000
	return map[string]int{
		// OpenAI
		"gpt-3.5-turbo": 16_385, "gpt-3.5-turbo-instruct": 4096,
		"gpt-4": 8192, "gpt-4-32k": 32_768, "gpt-4-turbo": 128 * k, "gpt-4-1106-preview": 128 * k,
		"gpt-4-0125-preview": 128 * k, "gpt-4-vision-preview": 128 * k,
		"gpt-4o": 128 * k, "gpt-4o-mini": 128 * k, "chatgpt-4o": 128 * k, "gpt-4.5-preview": 128 * k,
		"gpt-4.1": 1_047_576, "gpt-4.1-mini": 1_047_576, "gpt-4.1-nano": 1_047_576,
		"gpt-5": 400 * k, "gpt-5-mini": 400 * k, "gpt-5-nano": 400 * k, "gpt-5-pro": 400 * k, "gpt-5-chat": 128 * k,
		"gpt-5.1": 400 * k, "gpt-5.1-chat": 128 * k, "gpt-5.2": 400 * k, "gpt-5.2-chat": 128 * k,
		"gpt-5.3-chat": 128 * k, "gpt-5.3-codex": 400 * k, "gpt-5.4": 1_050_000, "gpt-5.4-mini": 400 * k,
		"gpt-5.4-nano": 400 * k, "gpt-5.5": 1_050_000,
		"o1": 200 * k, "o1-mini": 128 * k, "o1-preview": 128 * k, "o1-pro": 200 * k,
		"o3": 200 * k, "o3-mini": 200 * k, "o3-pro": 200 * k, "o4-mini": 200 * k,
		"gpt-oss-20b": 131_072, "gpt-oss-120b": 131_072,
		// Anthropic
		"claude-instant": 100 * k, "claude-2": 100 * k, "claude-2.1": 200 * k,
		"claude-3": 200 * k, "claude-3-5": 200 * k, "claude-3-7": 200 * k,
		"claude-opus-4": 200 * k, "claude-sonnet-4": 200 * k, "claude-haiku-4": 200 * k,
		"claude-opus-4-7": m, "claude-opus-4-8": m, "claude-opus-5": m, "claude-sonnet-5": m,
		"claude-haiku-5-5": m, "claude-fable-5": m, "claude-mythos-5": m,
		// Google
		"gemini-1.0-pro": 32_760, "gemini-1.5-flash": 1_048_576, "gemini-1.5-pro": 2_097_152,
		"gemini-2.0-flash": 1_048_576, "gemini-2.0-flash-lite": 1_048_576,
		"gemini-2.5-flash": 1_048_576, "gemini-2.5-flash-lite": 1_048_576, "gemini-2.5-pro": 1_048_576,
		"gemini-3-flash": 1_048_576, "gemini-3-pro": 1_048_576, "gemini-3.1-flash-lite": 1_048_576,
		"gemini-3.1-pro": 1_048_576, "gemini-3.5-flash": 1_048_576, "gemini-3.5-flash-lite": 1_048_576,
		"gemini-3.6-flash": 1_048_576, "gemini-3.7-flash": 1_048_576, "gemini-3.8-flash": 1_048_576,
		"gemma-2": 8192, "gemma2": 8192, "gemma-3": 128 * k, "gemma3": 128 * k, "gemma-3-1b": 32 * k,
		// Mistral
		"open-mistral-7b": 32 * k, "open-mixtral-8x7b": 32 * k, "open-mixtral-8x22b": 64 * k, "mixtral-8x7b": 32 * k,
		"mixtral-8x22b": 64 * k, "open-mistral-nemo": 128 * k, "mistral-nemo": 128 * k, "mistral-7b": 32 * k,
		"mistral-tiny": 32 * k, "mistral-small": 32 * k, "mistral-small-2503": 128 * k, "mistral-small-2506": 128 * k,
		"mistral-small-2603": 128 * k, "mistral-medium": 32 * k, "mistral-medium-2505": 128 * k,
		"mistral-medium-2508": 128 * k, "mistral-medium-3": 128 * k, "mistral-medium-3.5": 256 * k,
		"mistral-large": 128 * k, "mistral-large-2402": 32 * k, "codestral": 32 * k, "pixtral": 128 * k,
		"magistral-small": 40 * k, "magistral-medium": 40 * k, "magistral-small-2509": 128 * k,
		"magistral-medium-2509": 128 * k, "devstral": 128 * k, "devstral-2512": 256 * k, "ministral": 128 * k,
		// Meta; Ollama and Hugging Face write the names in several ways
		"llama-2": 4096, "llama2": 4096, "llama-3": 8192, "llama3": 8192, "llama-v3": 8192, "meta-llama-3": 8192,
		"llama-3.1": 128 * k, "llama3.1": 128 * k, "llama-v3p1": 128 * k, "meta-llama-3.1": 128 * k, "llama3-1": 128 * k,
		"llama-3.2": 128 * k, "llama3.2": 128 * k, "llama-v3p2": 128 * k, "llama3-2": 128 * k,
		"llama-3.3": 128 * k, "llama3.3": 128 * k, "llama-v3p3": 128 * k, "llama3-3": 128 * k,
		"llama-4-scout": 10 * m, "llama-4-maverick": m, "llama4-scout": 10 * m, "llama4-maverick": m,
		// DeepSeek
		"deepseek-chat": 64 * k, "deepseek-coder": 128 * k, "deepseek-reasoner": 64 * k, "deepseek-v2": 128 * k,
		"deepseek-v3": 128 * k, "deepseek-r1": 128 * k, "deepseek-v3.1": 128 * k, "deepseek-v3.2": 128 * k,
		"deepseek-v4-flash": m, "deepseek-v4-pro": m,
		// Alibaba
		"qwen2": 32_768, "qwen2.5": 32_768, "qwen2.5-coder": 32_768, "qwen3": 32_768, "qwen3-coder": 262_144,
		"qwen3-max": 262_144, "qwen-max": 32_768, "qwen-plus": 131_072, "qwen-turbo": 131_072, "qwq": 32_768,
		// Cohere
		"command": 4096, "command-light": 4096, "command-r": 128 * k, "command-r-plus": 128 * k, "command-r7b": 128 * k,
		"command-a": 256 * k,
		// xAI
		"grok-2": 131_072, "grok-3": 131_072, "grok-4": 256 * k, "grok-4-fast": 2 * m, "grok-4.1-fast": 2 * m,
		"grok-4-1-fast": 2 * m, "grok-4.3": m, "grok-code-fast-1": 256 * k,
		// Amazon
		"titan-text-lite": 4096, "titan-text-express": 8192, "titan-text-premier": 32 * k,
		"nova-micro": 128 * k, "nova-lite": 300 * k, "nova-pro": 300 * k, "nova-premier": m, "nova-2-lite": m,
		// Others
		"phi-3": 4096, "phi3": 4096, "phi-4": 16_384, "phi4": 16_384, "jamba": 256 * k, "kimi-k2": 131_072,
		"glm-4": 128 * k, "glm-4.5": 128 * k, "glm-4.6": 200 * k,
	}
}

// windowIn returns the window of a model, 0 if it is not known. A name is looked up as it
// is, then without its prefixes ("openai/gpt-4o", "us.anthropic.claude-3-haiku",
// "ft:gpt-4o:x"), then by its longest known prefix that ends before a dash, colon, dot or
// @: "gpt-4o-2024-08-06" is a gpt-4o. Upper case matters only in an exact match.
func windowIn(models map[string]int, name string) int {
	if window := models[name]; window > 0 || name == "" {
		return window
	}
	names := suffixes(name)
	if lower := strings.ToLower(name); lower != name {
		names = append(names, suffixes(lower)...)
	}
	for _, name := range names {
		if window := models[name]; window > 0 {
			return window
		}
	}
	for _, name := range names {
		for i := len(name) - 1; i > 0; i-- {
			if window := models[name[:i]]; window > 0 && strings.IndexByte("-:@.", name[i]) >= 0 {
				return window
			}
		}
	}
	return 0
}

// suffixes returns a name and the parts after each slash, colon and dot in it. It returns
// nothing for a text that is too long for a name.
func suffixes(name string) []string {
	const longest = 512
	if len(name) > longest {
		return nil
	}
	names := []string{name}
	for i := range len(name) {
		if strings.IndexByte("/:.", name[i]) >= 0 {
			names = append(names, name[i+1:])
		}
	}
	return names
}
