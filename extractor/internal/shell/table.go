package shell

import (
	"strings"
	"sync"
)

// runner describes a command that runs the command after it.
type runner struct {
	flags    string // its flags that have a value, between blanks
	operands int    // the number of its own operands
	remote   bool   // its operand is the host or container that the command runs on
}

// runners returns the runners by their name or their first two words. A line has names, and flags with
// a value. With "+", the runners have an operand of their own, and with "@" a host.
var runners = sync.OnceValue(func() map[string]runner {
	table := map[string]runner{}
	for line := range strings.Lines(runnerTable) {
		names, flags, _ := strings.Cut(strings.TrimSpace(line), ":")
		r := runner{flags: flags + " ", operands: strings.Count(flags, "+") + strings.Count(flags, "@"), remote: strings.Contains(flags, "@")}
		for name := range strings.SplitSeq(names, ", ") {
			table[name] = r
		}
	}
	return table
})

const runnerTable = `sudo: -u -g -h -p -C -R -r -t -T -D -U --user --group --host --chdir
doas: -u -C
env: -u -C --unset --chdir
time: -f -o
timeout: + -s -k --signal --kill-after
chroot, taskset: +
nohup, setsid, command, builtin, unbuffer, bunx, poetry run, pipenv run, pdm run, hatch run, bundle exec, pnpm exec, python -m, python3 -m:
nice: -n
ionice: -c -n -p
stdbuf: -i -o -e
watch: -n -d --interval
xargs: -I -n -P -L -d -a -s -E --max-args --max-procs --delimiter
parallel: -j
exec: -a
strace: -e -o -p -s
uv run: --with --python -p --directory --project
conda run: -n -p
npx: -p --package
ssh: @ -b -c -D -E -e -F -i -J -L -l -m -O -o -p -Q -R -S -W -w
docker exec, podman exec, docker-compose exec: @ -e -u -w --env --env-file --user --workdir --index --detach-keys
kubectl exec, oc exec: @ -n -c --namespace --container --context`

// interpreters are the programs that run the text after a flag as a command line.
const interpreters = " bash sh zsh dash ksh ash fish su runuser pwsh powershell cmd cmd.exe "

// isScriptFlag reports whether the word after a flag of an interpreter is a command line: -lc.
func isScriptFlag(word string) bool {
	lower := strings.ToLower(word)
	return lower == "/c" || lower == "-command" || isFlag(word) && word[1] != '-' && strings.HasSuffix(word, "c")
}
