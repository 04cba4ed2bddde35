package vocabulary

var (
	// RunnerNouns are subjects of tools that run something else.
	RunnerNouns = Set{List: `tool command cmd shell bash terminal code script sql query function statement cli console program run
		database db warehouse`}
	// CalledKeys are the arguments of a proxy that name the tool to call.
	CalledKeys = Set{List: `tool_name tool function_name function method operation action command_name endpoint_name`}
	// CommandKeys are the arguments that hold a command of a shell.
	CommandKeys = Set{List: `command cmd script shell_command bash_command command_line commands input`}
	// WordKeys are the arguments that hold a command as a list of words.
	WordKeys = Set{List: `args argv arguments command cmd`}
	// PatchKeys are the arguments that hold a patch, id for one without a key: others, as the text of a
	// message, may only quote one.
	PatchKeys = Set{List: `patch patch_text patch_content diff input command cmd args argv arguments id`}
	// PathKeys are the arguments that hold the path of a file.
	PathKeys = Set{List: `path file file_path filepath filename file_name uri abs_path absolute_path file_absolute_path relative_path rel_path
		target_file source_file path_in_project notebook_path`}
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
	TableModifiers = Set{List: `only if not exists concurrently`}
	// QueryKeys are the arguments that hold a query of a database.
	QueryKeys = Set{List: `query sql statement sql_query`}
)

// FilterCommands print some of the lines that they read, unchanged.
var FilterCommands = Set{List: `grep egrep fgrep rg head tail sort uniq cat tee less more tac nl column`}

// PrintingPrograms print the contents of files.
var PrintingPrograms = Set{List: `cat head tail less more bat batcat nl tac sed awk type get-content gc`}

// SilentCommands print nothing of interest.
var SilentCommands = Set{List: `cd pushd popd export set unset source true false sleep mkdir chmod chown touch wait exit return test [ [[
	: echo printf`}

// The effects of commands on the files among their operands.
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
	// ScopeFlags are followed by the scope or the manner of a command, not by its objects.
	ScopeFlags = Set{List: `-n --namespace -o --output --context --region --profile --zone --project --resource-group`}
	// SchemaVerbs begin the statements of SQL that change a schema, SchemaNouns are the things in it, and
	// SchemaModifiers stand behind their names.
	SchemaVerbs     = Set{List: `create drop alter rename`}
	SchemaNouns     = Set{List: `table tables index view schema database sequence function procedure trigger type role user`}
	SchemaModifiers = Set{List: `cascade restrict on`}
	// SystemSchemas hold tables about tables.
	SystemSchemas = Set{List: `information_schema pg_catalog sys mysql performance_schema system`}
	// TableWords stand before the name of a table.
	TableWords = Set{List: `from join into update`}
	// QueryPrograms are given queries of a database.
	QueryPrograms = Set{List: `psql mysql mariadb sqlite3 duckdb clickhouse-client sqlcmd cqlsh trino presto bq`}
	// DocumentPrograms are given scripts for a database of documents.
	DocumentPrograms = Set{List: `mongosh mongo`}
	// QueryVerbs begin a query of a database.
	QueryVerbs = Set{List: `select show with insert update delete create alter drop truncate rename describe explain`}
)

// QueryWord returns the second keyword of a query by the first: from of select.
var QueryWord = byWord(`from: select, delete, with
into: insert, replace, merge
set: update
`)

// InPlaceFlag returns the flag with which a program changes its files in place: i of sed -i.
var InPlaceFlag = byWord(`i: sed, perl, yq, awk, gawk
w: gofmt, goimports, shfmt
`)

// CommandVerbs are the verbs behind or before the noun of a command: config ls, get pods.
var CommandVerbs = Set{List: `list ls get describe show view create delete rm inspect`}

// KubernetesKind returns the type for a kind of Kubernetes, in the singular, whose name is short or has words
// written together. It is empty for other kinds.
var KubernetesKind = byWord(`pod: po
service: svc
deployment: deploy
replica_set: rs, replicaset
stateful_set: sts, statefulset
daemon_set: ds, daemonset
replication_controller: rc, replicationcontroller
config_map: cm, configmap
persistent_volume_claim: pvc, persistentvolumeclaim
persistent_volume: pv, persistentvolume
horizontal_pod_autoscaler: hpa, horizontalpodautoscaler
namespace: ns
node: no
ingress: ing
cron_job: cj, cronjob
service_account: sa, serviceaccount
event: ev`)
