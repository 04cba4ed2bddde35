// Package vendorapi has a server on loopback that speaks the HTTP APIs of language models, plain
// and streamed, in the form that the vendors' clients expect:
//
//	POST /v1/chat/completions                           OpenAI Chat Completions
//	POST /v1/responses                                  OpenAI Responses
//	POST /v1/messages                                   Anthropic Messages
//	POST /v1beta/models/NAME:generateContent            Gemini
//	POST /v1beta/models/NAME:streamGenerateContent      Gemini
//
// A function takes the place of the model. The examples run without a key because of it. The
// tests of this package are those of adapters/llmhttp with the vendors' own clients.
package vendorapi
