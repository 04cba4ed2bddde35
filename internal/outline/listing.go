package outline

import (
	"bytes"
	"regexp"
	"strconv"
)

// entry matches a line of ls -l: kind and size.
var entry = regexp.MustCompile(`^([-dlbcps])[-rwxsStT]{9}[.+@]? +\d+ +\S+ +\S+ +(\d+)`)

// entryWindow is the part of a line that is looked at.
const entryWindow = 160

// isListing reports whether a text begins as the output of ls -l.
func isListing(body []byte) bool {
	first, rest, _ := bytes.Cut(body, []byte("\n"))
	if bytes.HasPrefix(first, []byte("total ")) || bytes.HasSuffix(bytes.TrimSpace(first), []byte(":")) {
		first, rest, _ = bytes.Cut(rest, []byte("\n"))
		if bytes.HasPrefix(first, []byte("total ")) {
			first, _, _ = bytes.Cut(rest, []byte("\n"))
		}
	}
	return entry.Match(first[:min(len(first), entryWindow)])
}

// listingOutline returns the number of entries by kind, the size of the files, and the
// directories of a recursive listing.
func listingOutline(text []byte) string {
	var files, dirs, links, others, size int
	within := list{noun: "directory"}
	for l := range lines(text) {
		if l.part {
			continue
		}
		m := entry.FindSubmatch(l.text[:min(len(l.text), entryWindow)])
		if m == nil {
			if name, ok := bytes.CutSuffix(l.text, []byte(":")); ok {
				within.add(func() string { return "line " + number(l.n) + ": " + quote(name) })
			}
			continue
		}
		switch m[1][0] {
		case '-':
			files++
			n, _ := strconv.ParseInt(string(m[2]), 10, 50)
			size += int(n)
		case 'd':
			dirs++
		case 'l':
			links++
		default:
			others++
		}
	}
	summary := count(files, "file") + " of " + number(size) + " bytes, " + count(dirs, "directory")
	if links > 0 {
		summary += ", " + count(links, "link")
	}
	if others > 0 {
		summary += ", " + number(others) + " others"
	}
	return within.under(summary)
}

var (
	section = regexp.MustCompile(`^\[[\w.:/ -]{1,100}(?:"[^"]{1,100}")?\]\s*(?:[;#].*)?$`)
	setting = regexp.MustCompile(`^[\w.$/ -]{1,200}?\s*=`)
)

// isINI reports whether a text begins with a section and settings; comments may precede it.
func isINI(body []byte) bool {
	const enough = 50 // lines
	sections := 0
	for l := range lines(body) {
		text := bytes.TrimSpace(l.text)
		switch {
		case len(text) == 0, text[0] == ';', text[0] == '#':
		case section.Match(text[:min(len(text), 400)]):
			sections++
		case sections > 0 && setting.Match(text[:min(len(text), 400)]):
			return true
		default:
			return false
		}
		if l.n == enough {
			break
		}
	}
	return false
}

// iniOutline returns the sections with the number of their settings.
func iniOutline(text []byte) string {
	sections := list{noun: "section"}
	settings, total, at := 0, 0, 0
	var open []byte
	end := func() {
		if open != nil {
			sections.add(func() string {
				return "line " + number(at) + ": " + quote(open) + " " + count(settings, "setting")
			})
		}
		settings = 0
	}
	for l := range lines(text) {
		trimmed := bytes.TrimSpace(l.text)
		head := trimmed[:min(len(trimmed), 400)]
		switch {
		case l.part, len(trimmed) == 0, trimmed[0] == ';', trimmed[0] == '#':
		case section.Match(head):
			end()
			open, at = head, l.n
		case setting.Match(head):
			settings++
			total++
		}
	}
	end()
	return sections.under(count(sections.n, "section") + ", " + count(total, "setting"))
}
