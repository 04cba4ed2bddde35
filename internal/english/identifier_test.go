package english_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for identifier, want := range map[string]string{
		"getPageSections": "get page sections", "get_page-sections": "get page sections", "GET.Page/Sections": "get page sections",
		"HTTPServer": "http server", "orderIDs": "order ids", "ec2": "ec2", "aws.ec2.RunInstances": "aws ec2 run instances",
		"": "", "__": "", "Übergröße": "übergröße", "a1B2": "a1 b2", "\xff": "",
	} {
		assert.Equal(t, want, strings.Join(english.Words(identifier), " "), identifier)
	}
	assert.Len(t, english.Words(strings.Repeat("word_", 1000)), 24)
}
