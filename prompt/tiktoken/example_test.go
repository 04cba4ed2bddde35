package tiktoken_test

import (
	"fmt"

	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

func ExampleForModel() {
	c, err := tiktoken.ForModel("gpt-4o-mini")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Encoding(), c.CountTokens("tiktoken is great!"))

	_, err = tiktoken.New("unknown")
	fmt.Println(err)
	// Output:
	// o200k_base 6
	// tiktoken: unknown encoding "unknown"; known: o200k_base, cl100k_base, p50k_base, r50k_base
}
