package survival

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// PrefixReuse is how much of the prompts a provider's prompt cache can reuse.
type PrefixReuse struct {
	// Placement is where the block stands: system, after-prefix, tail or none.
	Placement string `json:"placement"`
	// Share is the mean share of a prompt's bytes that are the beginning of the
	// prompt before it, over all model calls but the first of each episode.
	Share float64 `json:"share"`
	// Kept is Share divided by that without any block.
	Kept float64 `json:"kept"`
	// Calls is how many prompts that is the mean of.
	Calls int `json:"calls"`
}

// agentPrompt is the system prompt of the conversations that are put together
// to measure prefix reuse: of a length usual for agents with tools, about 400
// tokens of o200k_base.
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

// placements are the placements that are measured; the first is no block.
var placements = [...]struct {
	name string
	at   prompt.Placement
}{{"none", -1}, {"system", prompt.PlaceSystem}, {"after-prefix", prompt.PlaceAfterPrefix}, {"tail", prompt.PlaceTail}}

// prefixMeter puts together the prompts that a chat agent would send: the system
// prompt, all that was said and returned so far, and the block in its place.
type prefixMeter struct {
	messages []prompt.Message
	previous [len(placements)]string
	shares   [len(placements)]float64
	calls    int
	first    bool
}

func newPrefixMeter() *prefixMeter { return &prefixMeter{} }

func (m *prefixMeter) begin() {
	m.messages = []prompt.Message{{Role: "system", Content: agentPrompt}}
	m.first = true
}

// step takes in a step. What the assistant said and each tool call are the
// outcome of a model call, before which the block is asked for.
func (m *prefixMeter) step(s *Step, block func() string) {
	switch s.Kind {
	case KindUser:
		m.messages = append(m.messages, prompt.Message{Role: "user", Content: s.Text})
	case KindAssistant:
		m.call(block())
		m.messages = append(m.messages, prompt.Message{Role: "assistant", Content: s.Text})
	case KindTool:
		m.call(block())
		m.messages = append(m.messages,
			prompt.Message{Role: "assistant", Content: s.Tool + " " + s.Args.Source},
			prompt.Message{Role: "tool", Content: s.resultText()})
	}
}

// call measures a model call.
func (m *prefixMeter) call(block string) {
	for i, p := range placements {
		messages := m.messages
		if p.at >= 0 {
			messages = prompt.Place(messages, block, p.at)
		}
		text := serialize(messages)
		if !m.first {
			m.shares[i] += float64(commonPrefix(m.previous[i], text)) / float64(len(text))
		}
		m.previous[i] = text
	}
	if !m.first {
		m.calls++
	}
	m.first = false
}

func (m *prefixMeter) reuse() []PrefixReuse {
	out := make([]PrefixReuse, len(placements))
	calls := float64(max(m.calls, 1))
	for i, p := range placements {
		out[i] = PrefixReuse{Placement: p.name, Share: round(m.shares[i]/calls, 4), Calls: m.calls}
		if m.shares[0] > 0 {
			out[i].Kept = round(m.shares[i]/m.shares[0], 4)
		}
	}
	return out
}

// serialize writes messages in the ChatML form, which many models are given.
func serialize(messages []prompt.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString("<|im_start|>" + m.Role + "\n" + m.Content + "<|im_end|>\n")
	}
	b.WriteString("<|im_start|>assistant\n")
	return b.String()
}

// commonPrefix is how many bytes two texts have in common at their beginning.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
