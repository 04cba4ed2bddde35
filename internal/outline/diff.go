package outline

import (
	"bytes"
	"regexp"
)

// isDiff reports whether a text begins as a unified diff, with or without the header of
// git or svn.
func isDiff(body []byte) bool {
	return bytes.HasPrefix(body, []byte("diff --git ")) || bytes.HasPrefix(body, []byte("Index: ")) && bytes.Contains(body, []byte("\n@@ -")) ||
		bytes.HasPrefix(body, []byte("--- ")) && bytes.Contains(body, []byte("\n+++ ")) && bytes.Contains(body, []byte("\n@@ "))
}

// diffFile is a file of a diff.
type diffFile struct {
	name           []byte
	added, removed int
}

func (f *diffFile) line() string {
	return quote(f.name) + " +" + number(f.added) + " −" + number(f.removed)
}

// diffReader counts the lines of a diff.
type diffReader struct {
	files          list
	added, removed int
	file           *diffFile
	old, new       int // lines left of the open hunk
}

// end ends a file.
func (d *diffReader) end() {
	if d.file != nil {
		d.files.add(d.file.line)
	}
	d.file = nil
}

// read reads a line. Within a hunk, only the number of its lines says where it ends.
func (d *diffReader) read(text []byte) {
	if d.file != nil && d.old+d.new > 0 {
		switch {
		case len(text) > 0 && text[0] == '+':
			d.new--
			d.added++
			d.file.added++
		case len(text) > 0 && text[0] == '-':
			d.old--
			d.removed++
			d.file.removed++
		case len(text) == 0 || text[0] == ' ':
			d.old--
			d.new--
		}
		d.old, d.new = max(0, d.old), max(0, d.new)
		return
	}
	if rest, ok := bytes.CutPrefix(text, []byte("diff --git ")); ok {
		d.end()
		if at := bytes.LastIndex(rest, []byte(" b/")); at >= 0 {
			rest = rest[at+3:]
		}
		d.file = &diffFile{name: rest}
	} else if rest, ok := bytes.CutPrefix(text, []byte("--- ")); ok {
		if d.file == nil || d.file.added+d.file.removed > 0 {
			d.end()
			d.file = &diffFile{name: rest}
		}
	} else if rest, ok := bytes.CutPrefix(text, []byte("+++ ")); ok && d.file != nil && string(rest) != "/dev/null" {
		name, _, _ := bytes.Cut(rest, []byte("\t"))
		d.file.name = bytes.TrimPrefix(name, []byte("b/"))
	} else if hunk := hunkHeader.FindSubmatch(text[:min(len(text), 80)]); hunk != nil {
		d.old, d.new = hunkLines(hunk[1]), hunkLines(hunk[2])
	}
}

var hunkHeader = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// hunkLines parses the number of lines of a hunk, 1 if it is left out.
func hunkLines(digits []byte) (n int) {
	if len(digits) == 0 {
		return 1
	}
	for _, c := range digits[:min(len(digits), 9)] {
		n = n*10 + int(c-'0')
	}
	return n
}

func diffOutline(text []byte) string {
	d := diffReader{files: list{noun: "file"}}
	for l := range lines(text) {
		if !l.part {
			d.read(l.text)
		}
	}
	d.end()
	return d.files.under(d.summary())
}

func (d *diffReader) summary() string {
	return count(d.files.n, "file") + ", +" + number(d.added) + " −" + number(d.removed)
}

var commitLine = regexp.MustCompile(`^commit ([0-9a-f]{7,64})\b`)

// isHistory reports whether a text begins as the output of git log.
func isHistory(body []byte) bool {
	return commitLine.Match(body[:min(len(body), 80)]) && bytes.Contains(body[:min(len(body), 1<<10)], []byte("\nAuthor: "))
}

// historyOutline returns the number of commits, the first and last of them and their
// authors, and the files of diffs, if any.
func historyOutline(text []byte) string {
	const shortID = 12
	var commits int
	var first, last, date []byte
	var authors tally
	d := diffReader{files: list{noun: "change"}}
	for l := range lines(text) {
		if l.part {
			continue
		}
		if id := commitLine.FindSubmatch(l.text[:min(len(l.text), 80)]); id != nil {
			d.end()
			d.old, d.new = 0, 0
			if commits++; commits == 1 {
				first = id[1][:min(len(id[1]), shortID)]
			}
			last = id[1][:min(len(id[1]), shortID)]
		} else if author, ok := bytes.CutPrefix(l.text, []byte("Author: ")); ok {
			name, _, _ := bytes.Cut(author, []byte(" <"))
			authors.add(identity(bytes.TrimSpace(name)))
		} else if when, ok := bytes.CutPrefix(l.text, []byte("Date: ")); ok {
			if date = bytes.TrimSpace(when); commits == 1 {
				first = append(append(append([]byte(nil), first...), ", "...), date[:min(len(date), 40)]...)
			}
		} else {
			d.read(l.text)
		}
	}
	d.end()
	out := []string{
		count(commits, "commit"),
		"first: " + quote(first),
		"last: " + quote(append(append(append([]byte(nil), last...), ", "...), date[:min(len(date), 40)]...)),
		"authors: " + authors.top(6, func(name string) string { return quote([]byte(name)) }),
	}
	if d.files.n > 0 {
		out = append(out, d.summary())
	}
	return d.files.under(out...)
}
