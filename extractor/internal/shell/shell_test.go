package shell_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shell"
)

// show writes a command in one line: "host:dir$ program [words] >writes <reads &|?".
func show(c *shell.Command) string {
	var b strings.Builder
	if c.Host != "" {
		fmt.Fprintf(&b, "%s:", c.Host)
	}
	if c.Dir != "" {
		fmt.Fprintf(&b, "%s$ ", c.Dir)
	}
	b.WriteString(c.Program)
	for _, word := range c.Words {
		fmt.Fprintf(&b, " [%s]", word)
	}
	for _, file := range c.Writes {
		fmt.Fprintf(&b, " >%s", file)
	}
	for _, file := range c.Reads {
		fmt.Fprintf(&b, " <%s", file)
	}
	if c.Input != "" {
		fmt.Fprintf(&b, " %q", c.Input)
	}
	for _, mark := range []struct {
		set  bool
		text string
	}{{c.Piped, "|"}, {c.Background, "&"}, {c.Conditional, "?"}} {
		if mark.set {
			b.WriteString(" " + mark.text)
		}
	}
	return b.String()
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		want       []string
	}{
		{"words", `/usr/bin/git log -n 3 "a b" 'c'\''d'`, []string{"git [log] [-n] [3] [a b] [c'd]"}},
		{"list", `cd /srv && cd lake; ls | head -5`, []string{"cd [/srv]", "/srv$ cd [lake]", "/srv/lake$ ls |", "/srv/lake$ head [-5]"}},
		{"directories", `cd a/b && cd .. && x; cd ..; y; cd -; z`, []string{"cd [a/b]", "a/b$ cd [..]", "a$ x", "a$ cd [..]", "y", "cd [-]", "z"}},
		{"unknown directory", `cd "$ROOT" && ls`, []string{"cd [$ROOT]", "ls"}},
		{"pushd", `pushd /a; ls; popd; pwd`, []string{"pushd [/a]", "/a$ ls", "/a$ popd", "pwd"}},
		{"home", `cat "$HOME/.netrc" $(pwd)/b`, []string{"cat [~/.netrc] [./b]"}},
		{"subshell", `(cd /a && make) && ls`, []string{"cd [/a]", "/a$ make", "ls"}},
		{"wrappers", `sudo -u ada env A=b timeout -s KILL 10 nice -n 5 rm -rf x`, []string{"rm [-rf] [x]"}},
		{"assignments", `A=1 B="c d" make -C lib all; F=oak.txt; cat $F ${F} $G`, []string{"lib$ make [all]", "cat [oak.txt] [oak.txt] [$G]"}},
		{"xargs", `find . -name '*.tmp' -print0 | xargs -0 -n 1 rm -f`, []string{"find [.] [-name] [*.tmp] [-print0] |", "rm [-f]"}},
		{"shell", `bash -lc 'cd /x && cat y > z'; pwd`, []string{"cd [/x]", "/x$ cat [y] >z |", "pwd"}},
		{"shell reads its input", "sh <<'E'\nrm a\nE", []string{"rm [a]"}},
		{"script", `bash run.sh -c x.yaml`, []string{"x.yaml"}},
		{"ssh", `ssh -p 22 ada@oak1 'cd /v; df -h' && ls`, []string{"oak1:cd [/v]", "oak1:/v$ df [-h]", "ls"}},
		{"ssh words", `ssh oak1 sudo rm "/a b"`, []string{"oak1:rm [/a] [b]"}},
		{"ssh input", "ssh oak1 <<E\nls /srv\nE", []string{"oak1:ls [/srv]"}},
		{"ssh alone", `ssh -i k oak1`, []string{"ssh [-i] [k] [oak1]"}},
		{"container", `docker exec -it -u root web1 psql -c 'select 1'`, []string{"docker [exec] [-it] [-u] [root] [web1] [psql] [-c] [select 1]", "web1:psql [-c] [select 1]"}},
		{"service", `docker compose -f a.yml exec -T db sh -c "ls /v"`, []string{"docker [compose] [-f] [a.yml] [exec] [-T] [db] [sh] [-c] [ls /v]", "db:ls [/v]"}},
		{"pod", `kubectl exec -n lake web-1 -c app -- cat /etc/app.conf`, []string{"kubectl [exec] [-n] [lake] [web-1] [-c] [app] [--] [cat] [/etc/app.conf]", "web-1:cat [/etc/app.conf]"}},
		{"runners of projects", `uv run python -m pytest tests -q; npx jest a.test.js`, []string{"pytest [tests] [-q]", "jest [a.test.js]"}},
		{"redirections", `sort < a > b 2> err >> c 2>&1; x > /dev/null`, []string{"sort >b >err >c <a |", "x |"}},
		{"tee", `make 2>&1 | tee -a build.log other.log`, []string{"make |", "tee [-a] [build.log] [other.log] >build.log >other.log"}},
		{"only a redirection", `> empty.txt`, []string{": >empty.txt |"}},
		{"here-document", "cat > a.py <<'EOF'\nprint(1)\nEOF\npython a.py", []string{`cat >a.py "print(1)\n" |`, "python [a.py]"}},
		{"here-document cut off", "cat > a.py <<'EOF'\nprint(1)", []string{`cat >a.py "print(1)\n" |`}},
		{"here-string", `wc -l <<< "one two"`, []string{`wc [-l] "one two"`}},
		{"substitution", `kill $(cat app.pid)`, []string{"cat [app.pid] |", "kill [$(cat app.pid)]"}},
		{"process", `diff <(sort a) b`, []string{"sort [a] |", "diff [<(sort a)] [b]"}},
		{"if", `if test -f a; then rm a; else touch b; fi`, []string{"test [-f] [a]", "rm [a] ?", "touch [b] ?"}},
		{"or", `rm a || echo none`, []string{"rm [a]", "echo [none] ?"}},
		{"loop", `for f in $(ls); do cat "$f"; done > all.txt`, []string{"ls |", "cat [$f] >all.txt |"}},
		{"function", `f() { rm a; }; f`, []string{"rm [a] ?", "f"}},
		{"background", `nohup npm run dev > o.log 2>&1 &`, []string{"npm [run] [dev] >o.log | &"}},
		{"git elsewhere", `git -C /srv/oak status`, []string{"/srv/oak$ git [status]"}},
		{"PowerShell", `Get-ChildItem -Path C:\src\app | Where-Object { $_.Name -eq 'a b' }`, []string{`Get-ChildItem [-Path] [C:\src\app] |`, "Where-Object [{] [$_.Name] [-eq] [a b] [}]"}},
		{"no script", `rm 'a b' c; ) ls "d`, []string{"rm [a b] [c]", `) [ls] ["d]`}},
		{"nothing", ` `, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range shell.Parse(tt.line) {
				got = append(got, show(&c))
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestOperandsAndFlags(t *testing.T) {
	t.Parallel()
	c := shell.Parse(`cd /a; tail -n 5 --follow=name -c3 b -o wide - -- -x`)[1]
	assert.Equal(t, []string{"b", "-x"}, c.Operands(func(flag string) bool { return flag == "-n" || flag == "-o" }))
	assert.Equal(t, []string{"5", "b", "wide", "-x"}, c.Operands(nil))
	for flag, want := range map[string]string{"-n": "5", "--follow": "name", "-c": "3", "-o": "wide"} {
		value, ok := c.Flag("--no-such", flag)
		assert.True(t, ok, flag)
		assert.Equal(t, want, value, flag)
	}
	_, ok := c.Flag("-x")
	assert.False(t, ok)
	assert.Equal(t, []string{"/a/b", "/b", "~/b"}, []string{c.Path("b"), c.Path("/b"), c.Path("~/b")})
}

// hostile are lines that are long or deep.
var hostile = []string{
	strings.Repeat("(", 1<<14), strings.Repeat("$(", 1<<13), strings.Repeat("((", 1<<13), strings.Repeat("{ ", 1<<13),
	strings.Repeat("`", 1<<14), strings.Repeat(`"$(`, 1<<12), strings.Repeat("a|", 1<<13), strings.Repeat("if a; then ", 1<<10),
	strings.Repeat("a <<E\n", 1<<11), strings.Repeat(`'"`, 1<<13), strings.Repeat("sudo ", 1<<12), strings.Repeat("bash -c ", 1<<11),
	"x=" + strings.Repeat("a", 100) + "; y " + strings.Repeat("$x", 1<<13), strings.Repeat("f() ", 1<<12), strings.Repeat("${a:-", 1<<12),
	strings.Repeat("eval ", 1<<12), strings.Repeat("docker exec a ", 1<<10), strings.Repeat("ssh a ", 1<<11), strings.Repeat("! ", 1<<13),
	"echo " + strings.Repeat("(", 1<<14) + strings.Repeat(")", 1<<14), "a <<'\xff\n'", "cat <<''\nx",
}

func TestParseIsBounded(t *testing.T) {
	t.Parallel()
	for _, line := range hostile {
		commands := shell.Parse(line)
		assert.LessOrEqual(t, len(commands), 64)
		for _, c := range commands {
			assert.LessOrEqual(t, len(c.Input), 2<<10)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("cd /a && sudo ssh b 'cat <<E > c\nE' | tee d &")
	for _, line := range hostile {
		f.Add(line[:min(len(line), 64)])
	}
	f.Fuzz(func(t *testing.T, line string) {
		commands := shell.Parse(line)
		assert.LessOrEqual(t, len(commands), 64)
		for _, c := range commands {
			c.Operands(nil)
			c.Flag("-n", "--name")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	line := `cd /srv/lake && sudo git log --oneline -n 20 -- src/oak.py | grep -v merge | head -5 > /tmp/last.txt`
	b.ReportAllocs()
	for b.Loop() {
		shell.Parse(line)
	}
}

func BenchmarkHostile(b *testing.B) {
	for i, line := range hostile {
		b.Run(fmt.Sprint(i), func(b *testing.B) {
			for b.Loop() {
				shell.Parse(line)
			}
		})
	}
}
