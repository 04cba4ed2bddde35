package middleware

import (
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// contextItems returns the queue.ContextItems that a tool returned: one or a slice, of
// values or pointers. It returns nil for any other result.
func contextItems(result any) []queue.ContextItem {
	switch r := result.(type) {
	case queue.ContextItem:
		return []queue.ContextItem{r}
	case []queue.ContextItem:
		return r
	case *queue.ContextItem:
		return withoutNil([]*queue.ContextItem{r})
	case []*queue.ContextItem:
		return withoutNil(r)
	}
	return nil
}

func withoutNil(pointers []*queue.ContextItem) []queue.ContextItem {
	items := make([]queue.ContextItem, 0, len(pointers))
	for _, p := range pointers {
		if p != nil {
			items = append(items, *p)
		}
	}
	return items
}

// contentsOf returns the contents of items, from which entities are extracted instead of
// the items: an item's id is not an id for tools. Blocks are removed, as withoutBlocks
// does for other results.
func contentsOf(items []queue.ContextItem) any {
	var contents []string
	for _, item := range items {
		if text := prompt.RemoveEcho(item.Content); text != "" {
			contents = append(contents, text)
		}
	}
	switch len(contents) {
	case 0:
		return nil
	case 1:
		return contents[0]
	}
	return contents
}
