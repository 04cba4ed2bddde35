package vocabulary

// VerbsOfState are auxiliary verbs, which state something about the preceding words.
var VerbsOfState = Set{List: `is was are were has have had will would can cannot could does did been be`}

// CodeLanguages are the names of languages behind a fence that programs are written in.
var CodeLanguages = Set{List: `js javascript ts typescript jsx tsx python py go golang java kotlin c cpp csharp c# rust rs ruby rb php
	swift scala perl lua r html css scss latex tex diff patch regex dockerfile makefile graphql hcl`}

// CodeWords begin statements.
var CodeWords = Set{List: `def func function class import from return const let var if for while elif else: try: except raise throw await
	async public private protected static package use #define #include struct enum interface impl fn pub print(`}

// ResourceKinds are the kinds of resources that commands put before a name.
var ResourceKinds = Set{List: `pod service deployment configmap secret namespace node ingress job cronjob daemonset statefulset replicaset
	serviceaccount role rolebinding clusterrole clusterrolebinding persistentvolume persistentvolumeclaim storageclass networkpolicy
	horizontalpodautoscaler endpoints customresourcedefinition application certificate issuer gateway httproute virtualservice project
	route build buildconfig imagestream poddisruptionbudget resourcequota limitrange event`}

// ResourceOutcomes are words for what a command did with a resource.
var ResourceOutcomes = Set{List: `created configured unchanged deleted patched scaled labeled annotated restarted exposed replaced edited
	cordoned uncordoned drained evicted applied condition rolled pruned serverside-applied`}

// TitleKeys name what a thing is called.
var TitleKeys = Set{List: `subject title name summary label headline display_name`}

// FactKeys name values that look like identifiers and identify nothing that a tool
// takes.
var FactKeys = Set{List: `hash checksum digest integrity sha256 sha512 md5 version etag cursor mode page_token next_page_token
	nextpagetoken next_cursor token password secret pwd passwd api_key apikey size time duration date timestamp port offset limit bytes
	line col column width height`}

// FileExtensions are the endings of file names.
var FileExtensions = Set{List: `txt md rst log csv tsv json jsonl ndjson yaml yml xml html htm css scss js jsx mjs cjs ts tsx vue go mod
	sum py ipynb rb rs java kt c h cc cpp hpp cs php swift scala sh bash zsh ps1 bat sql db sqlite toml ini cfg conf env lock pdf doc docx
	xls xlsx ppt pptx odt ods rtf epub tex bib png jpg jpeg gif svg webp bmp tiff ico mp3 mp4 wav ogg flac avi mov mkv webm zip tar gz tgz
	bz2 xz 7z rar jar war whl deb rpm iso dmg exe dll so bin dat parquet avro pkl pt onnx safetensors gguf eml ics vcf pem crt key tf
	tfvars tfstate proto graphql gradle properties dockerfile patch diff bak tmp`}

// FileNouns are types whose entities have paths.
var FileNouns = Set{List: `file directory folder path image photo document sheet notebook script archive backup attachment page`}

// AddressKeys are the last words of keys whose values are addresses of what another line
// names.
var AddressKeys = Set{List: `url uri link href path file filename location address permalink source email mail`}

// IntroducingWords are prepositions before a name.
var IntroducingWords = Set{List: `to from in for with by at on`}

// ActedOnRoles are the roles of elements that a user acts on.
var ActedOnRoles = Set{List: `button link textbox searchbox combobox checkbox radio tab menuitem option switch slider spinbutton treeitem
	listbox`}

// ScreenNouns are what is open in a browser, which tools take by its number.
var ScreenNouns = Set{List: `tab page window`}

// Auxiliaries make the next word a verb.
var Auxiliaries = Set{List: `will can could should must please would shall`}

// StateNouns name a state or form of the noun before them.
var StateNouns = Set{List: `draft request copy entry form record version revision`}

// NumberedNouns are entities that people refer to by short numbers: issue 42, ticket 7.
var NumberedNouns = Set{List: `issue ticket order pull_request invoice case task bug booking reservation story`}

// LongForm returns what an abbreviation in keys such as reqid stands for, or "".
var LongForm = byWord("request: req\nmessage: msg\ndocument: doc\nconversation: conv\nuser: usr\nrepository: repo\npull_request: pr\nmerge_request: mr")

// LabelWords announce an identifier.
var LabelWords = Set{List: `id ids uid number no nr # reference ref code key uuid guid gid slug identifier shortuuid sku isbn asin ean
	upc`}

// RunWords are the words of lines that tell how a program ran; SureRunWords are those of them that
// hardly any other line has, and ExitWords stand before an exit status.
var (
	RunWords = Set{List: `exit exited exitcode returncode returned wall elapsed duration cwd interpreter terminated command process shell
		working code status time current directory dir python completed complete finished ended succeeded successfully successful
		failed with without in of the a an on so this and for to was is has been will be you your not non-zero nonzero output
		outputs total lines line token tokens count original chunk session id running seconds second sec secs ms s previous next
		invocation tool call reusing terminal already took after stdout stderr result execution script return`}
	SureRunWords = Set{List: `exit exited exitcode returncode wall elapsed cwd interpreter terminated command process shell working`}
	ExitWords    = Set{List: `exit exited exitcode returncode code status`}
)

// FrameWords begin a frame of a stack trace, or the position of what a compiler complains about.
var FrameWords = Set{List: `at from File --> ❯ # in`}

// LibraryPaths are parts of paths of code that others wrote.
var LibraryPaths = []string{"/site-packages/", "/dist-packages/", "node_modules/", "/usr/lib", "/usr/local/lib", "/usr/local/go/",
	"/.cargo/", "/rustc/", "/lib/python", "node:", "/gems/", "/go/pkg/mod/", "vendor/", "java.base/", ".jar:", ".jar!"}

// FailWords and PassWords are verdicts on a test, in lower case.
var (
	FailWords = Set{List: `fail failed failure error ✗ ✘ × ✕ ❌ ❯ ●`}
	PassWords = Set{List: `pass passed ok success ✓ ✔ √ ✅`}
)

// SystemPaths are the beginnings of paths to what comes with the system.
var SystemPaths = []string{"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/sbin", "/usr/local/bin:", "/dev/", "/proc/",
	"/lib/", "/usr/share/"}

// FileNames are names of files without an ending.
var FileNames = Set{List: `Makefile Dockerfile Gemfile Rakefile Procfile Jenkinsfile Vagrantfile Justfile CMakeLists.txt`}
