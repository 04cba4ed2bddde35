package extractor

import (
	"bytes"
	"iter"
	"path"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
)

// maxListed is how much of a listing is read with the paths of its directories, which may be much longer than
// the names.
const maxListed = 4 * maxByRule

// underHeadings returns a listing whose files are below lines with the names of their directories, "src/mail:",
// with a path for each file, as at gives it. It returns nil if there are no such lines.
func underHeadings(text []byte, at func(string) string) []byte {
	isHeading := map[string]bool{}
	for directory, line := range listing(text) {
		if line == nil {
			isHeading[path.Clean(directory)] = true
		}
	}
	if len(isHeading) == 0 {
		return nil
	}
	var listed []byte
	for directory, line := range listing(text) {
		if len(listed) > maxListed {
			break
		}
		name, isDirectory := listedName(line)
		switch file := path.Join(directory, name); {
		case name == "":
		case directory == "":
			listed = append(listed, line...)
		default:
			listed = append(listed, at(file)...)
			if isDirectory || isHeading[file] {
				listed = append(listed, '/')
			}
			listed = append(listed, '\n')
		}
	}
	return listed
}

// listing iterates over the lines of a listing, each with the directory of the heading above it. Headings are
// yielded without a line. A heading is the first line, or follows a blank one.
func listing(text []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		directory, isFirst := "", true
		for line := range bytes.Lines(text) {
			if name, ok := heading(line); ok && isFirst {
				directory, line = name, nil
			}
			if !yield(directory, line) {
				return
			}
			isFirst = len(bytes.TrimSpace(line)) == 0 && line != nil
		}
	}
}

// heading returns the directory in a heading, a line that ends in a colon.
func heading(line []byte) (directory string, ok bool) {
	name, ok := bytes.CutSuffix(bytes.TrimRight(line, "\r\n"), []byte(":"))
	if !ok || len(name) == 0 || len(name) > shape.MaxID || bytes.ContainsAny(name, " :") {
		return "", false
	}
	return string(name), true
}

// listedName returns the name in a line of a listing, long or short. It is empty for other lines, and for
// "." and "..".
func listedName(line []byte) (name string, isDirectory bool) {
	line = bytes.TrimSpace(line)
	if words := bytes.Fields(line); len(words) > 8 && len(words[0]) >= len("drwxr-xr-x") {
		line, isDirectory = words[8], line[0] == 'd'
	}
	name = string(bytes.TrimRight(line, "*/"))
	if bytes.IndexByte(line, ' ') >= 0 || name == "." || name == ".." {
		return "", false
	}
	return name, isDirectory || bytes.HasSuffix(line, []byte("/"))
}
