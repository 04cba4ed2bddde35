package refusal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/refusal"
)

func TestIs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want bool
	}{
		{"I'm sorry, but I can't assist with that request.", true},
		{"I’m sorry, I can’t help with that.", true},
		{"I cannot assist with this.", true},
		{"**I cannot provide a summary of this conversation.**", true},
		{"I am unable to summarize the messages.", true},
		{"I won't be able to help you.", true},
		{"Unfortunately, I cannot generate this content.", true},
		{"Sorry! However, I'm not able to do that.", true},
		{"As an AI language model, I do not have opinions.", true},
		{"I must decline to continue.", true},
		{"Es tut mir leid, aber ich kann dabei nicht helfen.", true},
		{"Je suis désolé, mais je ne peux pas vous aider.", true},
		{"Lo siento, pero no puedo ayudar con eso.", true},
		{"Desculpe, mas não posso ajudar.", true},
		{"Mi dispiace, ma non posso aiutarti.", true},
		{"Извините, но я не могу помочь.", true},
		{"抱歉，我无法协助。", true},
		{"申し訳ありませんが、お手伝いできません。", true},
		{"죄송하지만 도와드릴 수 없습니다.", true},

		{"", false},
		{"I cannot log in, says the user. The agent reset the password.", false},
		{"I'm sorry was what the agent answered; the order W123 was refunded.", false},
		{"Sorry, the parcel is late, was the answer; the user wants a refund.", false},
		{"The user asks for help. The agent says: I'm sorry, but I can't assist with that.", false},
		{"I can't helpless", false},
		{"Unfortunately the deploy failed; it is retried.", false},
		{"Leider kam das Paket nicht an; die Kundin bekommt ihr Geld zurück.", false},
		{"The assistant cannot provide refunds above 100 euros.", false},
		{"I'm sorry, but I can't assist with that. " + strings.Repeat("The user then asked for the status of the order. ", 10), false},
	} {
		assert.Equal(t, tc.want, refusal.Is(tc.text), tc.text)
	}
}
