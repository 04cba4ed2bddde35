package drivertest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// corpus generates a reproducible sequence of records.
type corpus struct {
	random *rand.Rand
	zipf   *rand.Zipf
	words  []string
	topics *topics
	owners int
	made   int
}

// vocabulary is the number of words: a few as frequent as "the", most of them rare.
const vocabulary = 30_000

func newCorpus(owners, dimension int) *corpus {
	random := rand.New(rand.NewPCG(20, 26))
	return &corpus{random: random, zipf: rand.NewZipf(random, 1.1, 2.7, vocabulary-1), words: invented(vocabulary), topics: newTopics(dimension), owners: owners}
}

// invented returns distinct words of no language.
func invented(n int) []string {
	var syllables []string
	for _, consonant := range strings.Split("b d f g k l m n p r s t v z br st", " ") {
		for _, vowel := range strings.Split("a e i o u", " ") {
			syllables = append(syllables, consonant+vowel)
		}
	}
	words := make([]string, n)
	for i := range words {
		// Frequent words are short. The last letter prevents stemming.
		for rest := i + len(syllables); rest > 0; rest /= len(syllables) {
			words[i] += syllables[rest%len(syllables)]
		}
		words[i] += "k"
	}
	return words
}

// entries returns the next records, of the owners in turn.
func (c *corpus) entries(n int) []driver.Entry {
	all := make([]driver.Entry, n)
	for i := range all {
		words := make([]string, 8+c.random.IntN(33))
		for j := range words {
			words[j] = c.words[c.zipf.Uint64()]
		}
		key := driver.RecordKey{Namespace: "benchmark", UserID: "user" + strconv.Itoa(c.made%c.owners), ID: fmt.Sprintf("record%08d", c.made)}
		r := recordOf(key, strings.Join(words, " ")+".")
		r.SessionID, r.Topics = "session"+strconv.Itoa(c.made/50), []string{"topic" + strconv.Itoa(c.random.IntN(20))}
		r.CreatedAt = made.Add(time.Duration(c.made) * time.Second)
		r.LastAccessed = r.CreatedAt.Add(time.Duration(c.random.IntN(1000)) * time.Hour)
		all[i] = driver.Entry{Record: r, Terms: driver.RecordTerms(&r), Vector: c.vector(), Model: "model"}
		c.made++
	}
	return all
}

func (c *corpus) vector() []float32 { return unit(c.topics.direction()...) }
