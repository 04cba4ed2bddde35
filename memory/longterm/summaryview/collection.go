package summaryview

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

const (
	// maxBuffered limits the texts that a collection holds: 16 MiB. A record may exceed it.
	maxBuffered = 16 << 20
	// reserveStep is how many bytes of texts a collection reserves at once.
	reserveStep = 1 << 20
)

// collection divides the memories of a view into parts. It reads them once. The texts of a part
// are summarised when they fill the input of a model, or when all texts take too much memory.
type collection struct {
	views *Views
	view  *Definition
	at    time.Time // when the reading began
	room  int       // tokens of the texts that are summarised at once
	// skip has the keys of partitions to leave out.
	skip map[string]bool

	parts    map[string]*part // by key of the partition
	memories int
	buffered int // bytes
	reserved int // of these
}

// part has the memories of a partition.
type part struct {
	group    map[string]string
	texts    []timedText // not summarised yet
	tokens   int
	bytes    int
	summary  string // of the texts before
	memories int
	digest   string
}

// timedText is a memory, or a piece of one, and when it was created.
type timedText struct {
	at   time.Time
	text string
}

func (v *Views) newCollection(view *Definition) *collection {
	return &collection{views: v, view: view, at: v.opts.Now(), room: v.room(view), skip: map[string]bool{}, parts: map[string]*part{}}
}

// read reads the memories of a group, or of all groups if it is nil. Errors: ErrLimit and those of
// the memory and the model.
func (c *collection) read(ctx context.Context, group map[string]string) error {
	scope, filter, possible := c.view.selection(group, c.at)
	if !possible {
		return nil
	}
	for r, err := range c.views.memory.Records(ctx, scope, filter) {
		if err != nil {
			return err
		}
		if err := c.add(ctx, &r); err != nil {
			return err
		}
		if err := c.reserve(ctx); err != nil {
			return err
		}
	}
	return nil
}

// reserve reserves the memory of the texts. The context of Work has
// no driver.Reserve: its memory is bounded by the number of workers.
func (c *collection) reserve(ctx context.Context) error {
	reserve := driver.ReserveFrom(ctx)
	if reserve == nil || c.buffered <= c.reserved {
		return nil
	}
	c.reserved = c.buffered + reserveStep
	return reserve(c, int64(c.reserved))
}

func (c *collection) add(ctx context.Context, r *longterm.Record) error {
	group := c.view.groupOf(r)
	key := c.view.partitionKey(group)
	if c.skip[key] {
		return nil
	}
	if c.memories++; c.memories > MaxMemories {
		return exceeded("the view has more than %d memories: narrow its filters or its window", MaxMemories)
	}
	if c.parts[key] == nil && len(c.parts)+len(c.skip) == MaxPartitions {
		return exceeded("the view has more than %d partitions: narrow its filters or group by fewer fields", MaxPartitions)
	}
	p := c.partition(key, group)
	p.memories++
	p.digest = record.Digest(p.digest, r.Namespace, r.UserID, r.ID, r.Hash, strconv.FormatInt(r.UpdatedAt.UnixMicro(), 10))
	return c.addText(ctx, p, r)
}

// partition returns the part of a partition.
func (c *collection) partition(key string, group map[string]string) *part {
	p := c.parts[key]
	if p == nil {
		p = &part{group: group}
		c.parts[key] = p
	}
	return p
}

// addText adds the text of a memory to a part, and summarises what is too much.
func (c *collection) addText(ctx context.Context, p *part, r *longterm.Record) error {
	text := strings.TrimSpace(r.Text)
	if text == "" {
		return nil
	}
	if !r.EventDate.IsZero() {
		text = r.EventDate.UTC().Format(time.DateOnly) + ": " + text
	}
	count := c.views.opts.Counter.CountTokens
	pieces := []string{text}
	if count(text) > c.room {
		pieces = plaintext.SplitTokens(text, c.room, count)
	}
	for _, piece := range pieces {
		tokens := count(piece)
		if p.tokens+tokens > c.room {
			if err := c.fold(ctx, p); err != nil {
				return err
			}
		}
		p.texts = append(p.texts, timedText{r.CreatedAt, piece})
		p.tokens, p.bytes, c.buffered = p.tokens+tokens, p.bytes+len(piece), c.buffered+len(piece)
	}
	if c.buffered <= maxBuffered {
		return nil
	}
	largest := slices.MaxFunc(slices.Collect(maps.Values(c.parts)), func(a, b *part) int { return cmp.Compare(a.bytes, b.bytes) })
	return c.fold(ctx, largest)
}

// fold extends the summary of a part by its texts, oldest first.
func (c *collection) fold(ctx context.Context, p *part) error {
	if len(p.texts) == 0 {
		return nil
	}
	slices.SortStableFunc(p.texts, func(a, b timedText) int { return a.at.Compare(b.at) })
	texts := make([]string, len(p.texts))
	for i := range p.texts {
		texts[i] = p.texts[i].text
	}
	summary, err := c.views.write(ctx, c.view, p.summary, texts)
	if err != nil {
		return err
	}
	c.buffered -= p.bytes
	p.summary, p.texts, p.tokens, p.bytes = summary, nil, 0, 0
	return nil
}

// document returns the partition of a part, with the run that computed it.
func (c *collection) document(p *part, run string) partitionDocument {
	return partitionDocument{Run: run, Digest: p.digest, Partition: Partition{
		ViewID: c.view.ID, Group: p.group, Summary: inert.Text(p.summary), Memories: p.memories, ComputedAt: c.at.UTC(),
	}}
}
