package shell

import (
	"strings"
	"sync"
)

// runner describes a command that runs the command behind it.
type runner struct {
	flags    string // its flags that have a value, between blanks
	operands int    // the number of its own operands
	remote   bool   // its operand is the host or container that the command runs on
}

// runners returns the runners by their name or their first two words. A line is the name, the number
// of operands, and the flags with a value; the operand of those behind "remote" is a host.
var runners = sync.OnceValue(func() map[string]runner {
	table := map[string]runner{}
	remote := false
	for line := range strings.Lines(runnerTable) {
		line = strings.TrimSpace(line)
		name, flags, _ := strings.Cut(line, ":")
		r := runner{flags: flags + " ", remote: remote}
		if remote || name == "timeout" || name == "chroot" || name == "taskset" {
			r.operands = 1
		}
		if name == "remote" {
			remote = true
			continue
		}
		table[name] = r
	}
	return table
})

const runnerTable = `sudo: -u -g -h -p -C -R -r -t -T -D -U --user --group --host --chdir
doas: -u -C
env: -u -C --unset --chdir
time: -f -o
timeout: -s -k --signal --kill-after
chroot:
taskset:
nohup:
nice: -n
ionice: -c -n -p
setsid:
stdbuf: -i -o -e
watch: -n -d --interval
xargs: -I -n -P -L -d -a -s -E --max-args --max-procs --delimiter
parallel: -j
command:
builtin:
exec: -a
unbuffer:
strace: -e -o -p -s
uv run: --with --python -p --directory --project
poetry run:
pipenv run:
pdm run:
hatch run:
conda run: -n -p
bundle exec:
npx: -p --package
bunx:
pnpm exec:
python -m:
python3 -m:
remote
ssh: -b -c -D -E -e -F -i -J -L -l -m -O -o -p -Q -R -S -W -w
docker exec: -e -u -w --env --env-file --user --workdir --detach-keys
podman exec: -e -u -w --env --user --workdir
docker-compose exec: -e -u -w --env --user --workdir --index
compose exec: -e -u -w --env --user --workdir --index
kubectl exec: -n -c --namespace --container --context
oc exec: -n -c --namespace --container --context`

// interpreters are the programs that run the text behind a flag as a command line.
const interpreters = " bash sh zsh dash ksh ash fish su runuser pwsh powershell cmd cmd.exe "

// isScriptFlag reports whether the word behind a flag of an interpreter is a command line: -lc.
func isScriptFlag(word string) bool {
	lower := strings.ToLower(word)
	return lower == "/c" || lower == "-command" || isFlag(word) && word[1] != '-' && strings.HasSuffix(word, "c")
}
