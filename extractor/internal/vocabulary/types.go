package vocabulary

import "slices"

// DigestNouns name values that tools return and that identify no entity.
var DigestNouns = Set{List: `hash digest checksum password passphrase signature`}

// EmailAddress is the type of e-mail addresses. The type email is that of messages.
const EmailAddress = "email_address"

// PointerNouns name the role of a record instead of its type: {"target":
// {"entity_id": …}}.
var PointerNouns = Set{List: `target source subject destination`}

// CommitKeys are other names for commits in the records of a repository.
var CommitKeys = Set{List: `head base parent target`}

// MixedNouns name lists of entities of several types: files and folders are entries
// of a drive.
var MixedNouns = Set{List: `entry entity member match node object`}

// NamedNouns are things that tools take by their names, whatever these look like.
var NamedNouns = Set{List: `branch bucket topic queue table database schema namespace cluster sheet worksheet repository repo service job
	deployment container`}

// HandledNouns are things that a list gives by their names alone, whatever these look like, and
// ProductNames what some of them run on.
var (
	HandledNouns = Set{List: `tag package image module crate gem plugin extension`}
	ProductNames = Set{List: `PostgreSQL MySQL MariaDB MongoDB SQLite Oracle Redis Kafka RabbitMQ Elasticsearch OpenSearch Cassandra
		DynamoDB H2`}
)

// VersionedNouns are things that their version identifies, and OrdinalNouns parts that are only counted.
var (
	VersionedNouns = Set{List: `release version build revision update`}
	OrdinalNouns   = Set{List: `line page row step chapter level slide item entry part paragraph section column`}
)

// SpacedNouns are things whose names, which tools take, have spaces. Other identifiers have
// none.
var SpacedNouns = Set{List: `path file filename filepath folder directory document attachment sheet worksheet spreadsheet tab title`}

// Kindred are nouns that APIs use for one another, in the names of tools and of their arguments.
func Kindred(a, b string) bool {
	return slices.ContainsFunc(kindred[:], func(s *Set) bool { return s.Has(a) && s.Has(b) })
}

var kindred = [...]*Set{
	{List: `channel conversation`}, {List: `booking reservation`}, {List: `issue ticket`}, {List: `email mail message`},
	{List: `event meeting appointment`}, {List: `document file`}, {List: `pull pull_request`},
}

// TreeNouns are what records of a tree of directories are.
var TreeNouns = Set{List: `file directory folder dir`}

// CellNouns are what positions in a sheet are called: A1, B2:C9.
var CellNouns = Set{List: `cell address range`}

// ContentNouns are what tools that read files call them, DataFiles the extensions of files
// of records, and SourceFiles those of programs and style sheets.
var (
	ContentNouns = Set{List: `file content document text csv json spreadsheet`}
	DataFiles    = Set{List: `csv tsv json jsonl ndjson yaml yml xlsx parquet`}
	SourceFiles  = Set{List: `js jsx mjs cjs ts tsx vue svelte go py pyx rb rs java kt kts c h cc cpp cxx hpp cs fs php swift scala css
		scss less ex exs erl hs clj cljs lua dart zig ml jl r m pl pm`}
)

// TypeTails are words at the end of a stated type that describe a container.
var TypeTails = Set{List: `connection edge list collection node object`}

// SentenceWords are words of sentences that no name of a kind of thing has.
var SentenceWords = Set{List: `all any every everything anything nothing everyone anyone none both ignore disregard forget override obey
	instead i you your yours me my mine we us our ours they them their he she him her it its this that these those must shall should would
	could can cannot will always never not no dont do does did is are was were be been and but then else if when because so the please
	immediately now`}

// PartNouns are what belongs to several things, in an address: DELETE /groups/7/members/12.
var PartNouns = Set{List: `member user label tag role assignee collaborator watcher follower reviewer permission`}

// AttributeNouns are what a thing has and can lose without being gone: delete_avatar {"user_id": 7}.
var AttributeNouns = Set{List: `avatar photo picture image icon cover logo banner lock star favorite favourite like reaction vote bookmark
	pin rating comment attachment reminder alias description field property value parent history subscription watch follow permission
	access share restriction password token key relation link redirect`}

// PersonNouns are people, whose title is a job.
var PersonNouns = Set{List: `person user member employee colleague contact customer client lead candidate applicant patient doctor student
	teacher guest passenger author attendee participant worker`}
