package naming

import (
	"strings"
	"sync"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// commandSubjects returns what commands list, by their first words, and the kinds that
// kubectl abbreviates.
var commandSubjects = sync.OnceValue(func() map[string]string {
	subjects := map[string]string{}
	for line := range strings.Lines(vocabulary.CommandSubjects) {
		noun, commands, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for command := range strings.SplitSeq(commands, ", ") {
			subjects[command] = noun
		}
	}
	return subjects
})
