package vocabulary

var (
	// RunnerNouns are subjects of tools that run something else.
	RunnerNouns = Set{List: `tool command cmd shell bash terminal code script sql query function statement cli console program run database db warehouse`}
	// CalledKeys are the arguments of a proxy that name the tool to call.
	CalledKeys = Set{List: `tool_name tool function_name function method operation action command_name endpoint_name`}
	// CommandKeys are the arguments that hold a command of a shell.
	CommandKeys = Set{List: `command cmd script shell_command bash_command command_line commands input`}
	// WordKeys are the arguments that hold a command as a list of words.
	WordKeys = Set{List: `args argv arguments command cmd`}
	// PathKeys are the arguments that hold the path of a file.
	PathKeys = Set{List: `path file file_path filepath filename file_name uri`}
	// DirectoryKeys are the arguments that hold the path of a directory, and OpeningVerbs are in the
	// names of tools that read the file with a path.
	DirectoryKeys = Set{List: `path directory dir folder dir_path directory_path folder_path root root_path`}
	OpeningVerbs  = Set{List: `read get fetch load view show open cat head inspect stat`}
	// LocationKeys are the arguments that hold the address of a request over HTTP, MethodKeys those
	// with its method, and RequestNouns are in the names of tools that send one.
	LocationKeys = Set{List: `url uri path endpoint route request_url resource_path`}
	MethodKeys   = Set{List: `method http_method request_method verb`}
	RequestNouns = Set{List: `http https rest api request`}
	// TableModifiers stand before the name of a table in SQL.
	TableModifiers = Set{List: `only if not exists`}
	// QueryKeys are the arguments that hold a query of a database.
	QueryKeys = Set{List: `query sql statement sql_query`}
)

// WrapperCommands are commands that run the command behind them: sudo kubectl.
var WrapperCommands = Set{List: `sudo env time nohup watch exec command xargs timeout`}

// FilterCommands pass on lines as they are.
var FilterCommands = Set{List: `grep egrep fgrep rg head tail sort uniq cat tee less more tac nl column`}

// SilentCommands print nothing of interest.
var SilentCommands = Set{List: `cd pushd popd export set unset source true false sleep mkdir chmod chown touch wait exit return test [ [[ : echo printf`}

// What commands do to the files among their operands.
var (
	// FileVerbs remove or move files.
	FileVerbs = Set{List: `rm rmdir mv unlink trash shred`}
	// ReadingPrograms read the files that they are given, and ScriptedPrograms are those whose first
	// operand is a script or a pattern.
	ReadingPrograms = Set{List: `cat head tail less more bat batcat nl tac wc sed awk gawk grep egrep fgrep rg jq yq perl stat file diff
		cmp source . md5sum sha1sum sha256sum xxd od hexdump strings column sort uniq cut zcat type get-content gc`}
	ScriptedPrograms = Set{List: `sed awk gawk grep egrep fgrep rg jq yq perl`}
	// CopyingPrograms write their last operand, and WritingPrograms all.
	CopyingPrograms = Set{List: `cp copy ln install scp rsync`}
	WritingPrograms = Set{List: `touch truncate mkdir`}
	// OutputFlags are followed by the file that a command writes.
	OutputFlags = []string{"-o", "--output", "--output-file", "--output-document", "--outfile", "--out", "-out", "-OutFile"}
	// ScopeFlags are followed by where or how a command does what it does, not by what it does it to.
	ScopeFlags = Set{List: `-n --namespace -o --output --context --region --profile --zone --project --resource-group`}
	// SchemaVerbs begin the statements of SQL that change a schema, SchemaNouns are the things in it, and
	// SchemaModifiers stand behind their names.
	SchemaVerbs     = Set{List: `create drop alter rename`}
	SchemaNouns     = Set{List: `table tables index view schema database sequence function procedure trigger type`}
	SchemaModifiers = Set{List: `cascade restrict on`}
	// SystemSchemas hold tables about tables.
	SystemSchemas = Set{List: `information_schema pg_catalog sys mysql performance_schema system`}
	// TableWords stand before the name of a table.
	TableWords = Set{List: `from join into update`}
	// QueryPrograms are given queries of a database.
	QueryPrograms = Set{List: `psql mysql mariadb sqlite3 duckdb clickhouse-client sqlcmd cqlsh trino presto bq`}
	// QueryVerbs begin a query of a database.
	QueryVerbs = Set{List: `select show with insert update delete create alter drop truncate rename describe explain`}
)

// QueryWord returns the word that a query has which begins with another one: from of select.
var QueryWord = byWord(`from: select, delete, with
into: insert, replace, merge
set: update
`)

// InPlaceFlag returns the flag with which a program changes the files that it is given: i of sed -i.
var InPlaceFlag = byWord(`i: sed, perl, yq, awk, gawk
w: gofmt, goimports, shfmt
`)

// CommandVerbs are the verbs behind or before the noun of a command: config ls, get pods.
var CommandVerbs = Set{List: `list ls get describe show view create delete rm inspect`}

// CommandSubject returns what a command lists, by its first words: commit of git log. It is empty for
// other commands. A noun behind a slash is what it lists if more words follow. The kinds of resources
// that kubectl abbreviates or runs together are commands like any other: kubectl po.
var CommandSubject = byWord(`table: \dt, .tables
database: \l
schema: \dn
file: ls, find, tree, du, fd, dir, stat, git status, git diff, git ls-files, git add
commit: git log, git show, git reflog, git commit, git blame
branch: git branch, git checkout, git switch
stash: git stash
remote: git remote
tag: git tag
worktree: git worktree
submodule: git submodule
blob: git ls-tree, git ls tree
container: docker ps, docker container, docker run, docker start, docker stop, docker inspect, podman container, podman run, podman ps, crictl ps, nerdctl ps, lxc list
image: docker images, docker image, docker build, docker pull, podman images, podman image, crictl images, nerdctl images
volume: docker volume, podman volume, lsblk
network: docker network, podman network
service: docker compose, docker service, docker stack services, systemctl, service, rc-status
task: docker service ps, docker stack ps, docker node ps, task list, todo.sh
stack: docker stack
plugin: docker plugin
bucket/object: aws s3 ls, gsutil ls, mc ls, gcloud storage ls, s3cmd ls
chart: helm search
device: tailscale status, adb devices, lsusb, lspci
virtual_machine: virsh list, vboxmanage list, multipass list, vagrant global-status
release: helm list, helm ls, helm install, helm upgrade, helm history
process: ps, top, htop, pgrep, pstree, pm2, supervisorctl, lsof
job: crontab, atq, jobs, squeue, qstat, bjobs
package: pip list, pip freeze, pip install, pip outdated, npm ls, npm list, npm install, npm outdated, pnpm list, pnpm outdated, apt, apt-get, dpkg, rpm, dnf, yum, apk, pacman, snap list, flatpak list, yarn list, cargo install, brew, gem, conda list, choco list, winget list
resource: terraform state, terraform apply, terraform plan, tofu state, pulumi stack
session: tmux, screen, who, w
key: redis-cli
test: pytest, go test, npm test, cargo test
match: grep, rg, ag
user: id, getent
mount: df, mount
host: ssh, ping, dig, nslookup, host
pod: kubectl po, kubectl pods
service: kubectl svc
deployment: kubectl deploy
replica_set: kubectl rs, kubectl replicasets, kubectl replicaset
stateful_set: kubectl sts, kubectl statefulsets, kubectl statefulset
daemon_set: kubectl ds, kubectl daemonsets, kubectl daemonset
replication_controller: kubectl rc, kubectl replicationcontrollers, kubectl replicationcontroller
config_map: kubectl cm, kubectl configmaps, kubectl configmap
persistent_volume_claim: kubectl pvc, kubectl persistentvolumeclaims, kubectl persistentvolumeclaim
persistent_volume: kubectl pv, kubectl persistentvolumes, kubectl persistentvolume
horizontal_pod_autoscaler: kubectl hpa, kubectl horizontalpodautoscalers, kubectl horizontalpodautoscaler
namespace: kubectl ns
node: kubectl no
ingress: kubectl ing
cron_job: kubectl cj, kubectl cronjobs, kubectl cronjob
service_account: kubectl sa, kubectl serviceaccounts, kubectl serviceaccount, kubectl serviceaccounts
event: kubectl ev
`)
