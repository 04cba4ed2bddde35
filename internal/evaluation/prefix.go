package evaluation

import (
	"github.com/go-workingmemory/workingmemory/prompt"
)

// PrefixReuse measures how much of the prompts a provider's prompt cache can reuse
// and what remains at full price. It is a mean over all model calls except the first
// of each episode.
type PrefixReuse struct {
	// Placement is the place of the block: system, after-prefix, tail, append or
	// none.
	Placement string `json:"placement"`
	// Share is the share of a prompt's bytes that are a prefix of the previous
	// prompt.
	Share float64 `json:"share"`
	// Kept is Share divided by the Share without a block.
	Kept float64 `json:"kept"`
	// PromptTokens is the size of a prompt in tokens.
	PromptTokens float64 `json:"prompt_tokens"`
	// UncachedTokens is the number of tokens after the prefix shared with the
	// previous prompt.
	UncachedTokens float64 `json:"uncached_tokens"`
	// Calls is the number of prompts measured.
	Calls int `json:"calls"`
}

// Cost returns the input cost of a prompt in tokens at full price, if a cached token
// costs cachedPrice of one, 0 to 1.
func (p *PrefixReuse) Cost(cachedPrice float64) float64 {
	return p.UncachedTokens + cachedPrice*(p.PromptTokens-p.UncachedTokens)
}

// agentPrompt is the system prompt of the conversations in which prefix reuse is
// measured. Its length is typical of agents with tools, about 400 tokens of
// o200k_base.
const agentPrompt = `You are a customer service agent. You help customers by calling tools, one at a time, and by talking to them.

# Rules
- Before you change anything, say what you are about to do, with all its details, and wait until the customer has agreed in so many words.
- Never make up information, and never rely on anything that neither the customer nor a tool has told you. Where you do not know, look it up or ask.
- Make one tool call at a time. When you call a tool, do not answer the customer in the same turn; when you answer, do not call a tool.
- Identify the customer before you speak of anything that belongs to an account: by e-mail address, or by name and postal code. A customer who knows an account number still has to be identified.
- Help one customer per conversation. Decline requests about the accounts of others.
- Use identifiers exactly as the tools returned them. Do not shorten, translate or complete them.
- Times are in the customer's time zone unless a tool says otherwise. Amounts are in the currency of the record they come from.
- If a tool reports an error, read it, correct the arguments and try again once. If it fails again, tell the customer what went wrong.
- Decline what is against the rules. Hand over to a person if, and only if, the request is allowed and none of the tools can fulfil it.

# Records
- A customer has a profile with addresses, payment methods and past activity. Payment methods are named by their identifier.
- A record can be changed while it is open. Closed and cancelled records cannot be changed; at most they can be returned or replaced, where the rules of that record allow it.
- Some changes can be made only once. Collect everything the customer wants changed before you make such a change.
- Refunds go to the payment method that was used, unless the customer asks for a voucher.

# Style
Be brief and friendly. Write plain sentences without headings. Give totals before asking for agreement. Do not mention tools, identifiers of internal records or these rules unless the customer asks for them.
`

// placements are the measured placements; the first has no block.
var placements = [...]struct {
	name string
	at   prompt.Placement
}{
	{"none", -1},
	{"system", prompt.PlaceSystem},
	{"after-prefix", prompt.PlaceAfterPrefix},
	{"tail", prompt.PlaceTail},
	{"append", prompt.PlaceAppend},
}

// prefixMeter builds the prompts that a chat agent would send: the system prompt, all
// messages and results so far, and the block in its place.
type prefixMeter struct {
	counter prompt.TokenCounter
	fresh   []prompt.Message // since the last model call
	placed  [len(placements)]placedPrompts
	calls   int
	first   bool // before the first model call of the episode
}

// placedPrompts are the prompts with one placement of the block.
type placedPrompts struct {
	last           []prompt.Message // prompt of the last model call, with the block
	share          float64
	tokens, behind int // of all prompts; after the common prefix
}

func newPrefixMeter(counter prompt.TokenCounter) *prefixMeter { return &prefixMeter{counter: counter} }

func (m *prefixMeter) begin() {
	for i := range m.placed {
		m.placed[i].last = nil
	}
	m.fresh = []prompt.Message{{Role: "system", Content: agentPrompt}}
	m.first = true
}

// add adds a step to the next prompt: its text, or a call as the model sees it.
func (m *prefixMeter) add(s *Step, text string, call shownCall) {
	switch s.Kind {
	case KindUser, KindAssistant:
		m.fresh = append(m.fresh, prompt.Message{Role: s.Kind, Content: text})
	case KindTool:
		m.fresh = append(m.fresh,
			prompt.Message{Role: KindAssistant, Content: s.Tool + " " + call.arguments},
			prompt.Message{Role: KindTool, Content: call.result})
	}
}

// call measures a model call, whose outcome is a message of the assistant or a tool call. As in
// an agent's loop, each placement extends the prompt that it built last.
func (m *prefixMeter) call(block string) {
	for i, p := range placements {
		placed := &m.placed[i]
		messages := append(placed.last[:len(placed.last):len(placed.last)], m.fresh...)
		if p.at >= 0 {
			messages = prompt.Place(messages, block, p.at)
		}
		if !m.first {
			placed.add(messages, m.counter)
		}
		placed.last = messages
	}
	if !m.first {
		m.calls++
	}
	m.fresh, m.first = nil, false
}

// add compares a prompt with the previous one.
func (p *placedPrompts) add(messages []prompt.Message, counter prompt.TokenCounter) {
	same := 0 // messages
	for same < min(len(messages), len(p.last)) && messages[same] == p.last[same] {
		same++
	}
	common, size := 0, len(opening)
	for i, m := range messages {
		bytes, tokens := len(serialized(m)), messageTokens+counter.CountTokens(m.Content)
		size += bytes
		p.tokens += tokens
		if i < same {
			common += bytes
		} else if i > same {
			p.behind += tokens
		}
	}
	begun := commonPrefix(textAt(p.last, same), textAt(messages, same))
	if same < len(messages) {
		p.behind += tokensBehind(messages[same], begun, counter)
	}
	p.share += float64(common+begun) / float64(size)
}

// messageTokens is the overhead of a message in tokens.
const messageTokens = 4

// tokensBehind counts the tokens of a message after its first bytes.
func tokensBehind(m prompt.Message, bytes int, counter prompt.TokenCounter) int {
	bytes -= len(messageStart + m.Role + "\n")
	if bytes <= 0 {
		return messageTokens + counter.CountTokens(m.Content)
	}
	return counter.CountTokens(m.Content[min(bytes, len(m.Content)):])
}

func (m *prefixMeter) reuse() []PrefixReuse {
	out := make([]PrefixReuse, len(placements))
	calls := max(m.calls, 1)
	for i, p := range placements {
		placed := &m.placed[i]
		out[i] = PrefixReuse{
			Placement:      p.name,
			Share:          round(placed.share/float64(calls), 4),
			PromptTokens:   rounded(placed.tokens, calls, 1),
			UncachedTokens: rounded(placed.behind, calls, 1),
			Calls:          m.calls,
		}
		if none := m.placed[0].share; none > 0 {
			out[i].Kept = round(placed.share/none, 4)
		}
	}
	return out
}

// The ChatML form, which many models use. A prompt ends with the opening of the
// answer.
const (
	messageStart = "<|im_start|>"
	messageEnd   = "<|im_end|>\n"
	opening      = messageStart + "assistant\n"
)

func serialized(m prompt.Message) string {
	return messageStart + m.Role + "\n" + m.Content + messageEnd
}

// textAt returns the ith message of a prompt, or the opening of the answer after the
// last.
func textAt(messages []prompt.Message, i int) string {
	if i < len(messages) {
		return serialized(messages[i])
	}
	return opening
}

// commonPrefix returns the length of the common prefix of two texts in bytes.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
