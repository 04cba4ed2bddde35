package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf16"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

const (
	// shownRunes limits the characters shown of a message or memory.
	shownRunes = 200
	// timeLayout is the format of times, in UTC.
	timeLayout = "2006-01-02 15:04:05"
)

func writeInspectionJSON(w io.Writer, found *inspection) error {
	encoded, err := wire.Encode(found)
	if err != nil {
		return err
	}
	_, err = w.Write(append(escapeJSON(encoded), '\n'))
	return err
}

// escapeJSON escapes the unprintable characters that JSON allows in texts, for terminals.
func escapeJSON(encoded []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(encoded) {
		if r < unicode.MaxASCII || unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.Bytes()
}

// writeInspection writes an inspection as text.
func writeInspection(w io.Writer, found *inspection) error {
	var b bytes.Buffer
	writeHead(&b, found)
	writeMessages(&b, found)
	writeEntities(&b, found.Decisions.Entities)
	writeText(&b, "Block", found.Block)
	writePending(&b, found.Session.Memories)
	writeDecisions(&b, found)
	_, err := w.Write(b.Bytes())
	return err
}

func writeHead(b *bytes.Buffer, found *inspection) {
	s, u := found.Session, &found.Decisions.Usage
	fmt.Fprintf(b, "Session %s", printable(s.SessionID))
	if s.Namespace != nil {
		fmt.Fprintf(b, ", namespace %s", printable(*s.Namespace))
	}
	if s.UserID != nil {
		fmt.Fprintf(b, ", user %s", printable(*s.UserID))
	}
	fmt.Fprintf(b, "\ncreated %s, changed %s, version %d\n", s.CreatedAt.Format(timeLayout), s.UpdatedAt.Format(timeLayout), s.Version)
	fmt.Fprintf(b, "%d of %d tokens: %.1f %% of the window, %.1f %% of the limit for summarising\n",
		u.Tokens, u.Window, u.TotalUsed, u.UntilSummarization)
}

func writeMessages(b *bytes.Buffer, found *inspection) {
	if found.Session.Context != nil {
		writeText(b, "Summary", *found.Session.Context)
	}
	shown, all := len(found.Session.Messages), max(found.Decisions.Usage.Messages, len(found.Session.Messages))
	fmt.Fprintf(b, "\nMessages: %d", all)
	if shown < all {
		fmt.Fprintf(b, ", the newest %d of them", shown)
	}
	b.WriteByte('\n')
	for i := range found.Session.Messages {
		m := &found.Session.Messages[i]
		at := ""
		if m.CreatedAt != nil {
			at = m.CreatedAt.Format(timeLayout) + " "
		}
		fmt.Fprintf(b, "  %s%s: %s\n", at, short(m.Role), short(m.Content))
		for _, call := range m.ToolCalls {
			fmt.Fprintf(b, "    calls %s(%s)\n", short(call.Name), short(call.Arguments))
		}
	}
}

func writeEntities(b *bytes.Buffer, entities []wire.EntityVerdict) {
	fmt.Fprintf(b, "\nEntities: %d\n", len(entities))
	if len(entities) == 0 {
		return
	}
	tab := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "  TYPE\tID\tNAME\tIN THE BLOCK\tLAST ACCESSED\tUSES\tFROM")
	for i := range entities {
		e := &entities[i]
		id := short(e.ID)
		if e.Handle != "" {
			id += " = " + short(e.Handle)
		}
		fmt.Fprintf(tab, "  %s\t%s\t%s\t%s\t%s\t%d\t%s %s\n", short(e.Type), id, short(e.Label), short(e.Verdict),
			e.Timestamp.Format(timeLayout), e.Uses, short(e.Tool), short(e.Path))
	}
	tab.Flush() // into memory: cannot fail
}

// writePending writes the memories that have not been promoted to long-term memory yet.
func writePending(b *bytes.Buffer, memories []wire.Memory) {
	var pending []*wire.Memory
	for i := range memories {
		if memories[i].PersistedAt == nil {
			pending = append(pending, &memories[i])
		}
	}
	fmt.Fprintf(b, "\nMemories: %d, not in long-term memory yet: %d\n", len(memories), len(pending))
	for _, m := range pending {
		fmt.Fprintf(b, "  %s: %s\n", short(m.ID), short(m.Text))
	}
}

func writeDecisions(b *bytes.Buffer, found *inspection) {
	decisions := found.Decisions.Decisions
	if !found.fromServer && len(decisions) == 0 {
		b.WriteString("\nRecent decisions: none in the store, a running server may know them: use --server\n")
		return
	}
	fmt.Fprintf(b, "\nRecent decisions: %d\n", len(decisions))
	tab := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for i := range decisions {
		d := &decisions[i]
		fmt.Fprintf(tab, "  %s\t%s\t%s %s\t%s %s\n",
			d.Time.Format(timeLayout), short(d.Tool), short(d.Type), short(d.ID), short(d.What), short(d.Why))
	}
	tab.Flush()
}

// writeText writes a text of several lines.
func writeText(b *bytes.Buffer, title, text string) {
	if text == "" {
		fmt.Fprintf(b, "\n%s: none\n", title)
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(b, "  %s\n", printable(line))
	}
}

// short returns the beginning of a text as one printable line.
func short(text string) string {
	n := 0
	for i := range text {
		if n++; n > shownRunes {
			return printable(strings.Join(strings.Fields(text[:i]), " ")) + "…"
		}
	}
	return printable(strings.Join(strings.Fields(text), " "))
}
