package shell

import (
	"path"
	"slices"
	"strings"
)

// Command is a simple command of a command line.
type Command struct {
	// Program is the base name of the program: git.
	Program string
	// Words are the words after the program, without quotes. A word with an unknown expansion
	// keeps its text: "$x".
	Words []string
	// Dir is the directory that the command runs in, as far as the line tells: /a/b of
	// "cd /a && cd b". If not absolute, it is relative to the directory in which the line starts.
	Dir string
	// Host is the host or container that the command runs on, for ssh and docker exec.
	Host string
	// Writes are the files that >, >> and tee write, and Reads the files that < reads.
	Writes, Reads []string
	// Input is the text of a here-document or here-string.
	Input string
	Place
}

// Place is the place of a command in its line.
type Place struct {
	// Piped is set if the output goes to another command, a variable or a file, and Captured if it does
	// not go to another command.
	Piped, Captured bool
	// Background is set if the line does not wait for the command.
	Background bool
	// Conditional is set if the line may not run the command: the body of an if, the right of ||.
	Conditional bool
}

// isFlag reports whether a word is a flag: -n, --name.
func isFlag(word string) bool { return len(word) > 1 && word[0] == '-' }

// Operands returns the words that are neither flags nor their values: a and b of
// "-n 3 a -v b" if -n has a value. A nil withValue means that no flag has one.
func (c *Command) Operands(withValue func(flag string) bool) (operands []string) {
	for i := 0; i < len(c.Words); i++ {
		switch word := c.Words[i]; {
		case word == "--":
			return append(operands, c.Words[i+1:]...)
		case isFlag(word):
			if withValue != nil && withValue(word) {
				i++
			}
		case word != "" && word != "-":
			operands = append(operands, word)
		}
	}
	return operands
}

// Flag returns the value of the first flag with one of the names, which are written as in a
// command: "-n", "--name". The value is behind it (-n x, --name x, --name=x, -nx), and empty
// if another flag follows.
func (c *Command) Flag(names ...string) (value string, ok bool) {
	for i, word := range c.Words {
		if word == "--" {
			break
		}
		if !isFlag(word) {
			continue
		}
		name, value, joined := strings.Cut(word, "=")
		switch short := word[:2]; {
		case joined && slices.Contains(names, name):
			return value, true
		case slices.Contains(names, word):
			if i+1 < len(c.Words) && !isFlag(c.Words[i+1]) {
				value = c.Words[i+1]
			}
			return value, true
		case short != "--" && slices.Contains(names, short):
			return word[2:], true
		}
	}
	return "", false
}

// Path returns the path that a word means in the command's directory: /a/b of b in /a.
func (c *Command) Path(word string) string { return join(c.Dir, word) }

// join returns a path below a directory, or the path itself if it does not depend on it.
func join(dir, word string) string {
	if dir == "" || strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~") {
		return word
	}
	return path.Join(dir, word)
}
