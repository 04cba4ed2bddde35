package vocabulary

import "strings"

// KindKeys are the names of arguments that hold a type.
var KindKeys = Set{List: `resource kind object object_type object_name entity entity_type entity_name resource_type resource_kind
	record_type sobject sobject_type sobject_name table table_name collection module item_type`}

// OperatorKeys stand between a field and its value in queries: {"id": {"in": ["b1"]}}, {"id": {"S": "b1"}}.
var OperatorKeys = Set{List: `in eq equals is value values any_of s n`}

// QuantityWords begin texts that select things rather than name one: all images.
var QuantityWords = Set{List: `all any both each every everything no some todas todos alle tous toutes`}

// PositionWords are last words of arguments with a position within a thing.
var PositionWords = Set{List: `index position row column col line offset range slot`}

// AvailabilityKeys are the fields whose value false marks a record as unavailable.
var AvailabilityKeys = Set{List: `available in_stock instock active enabled is_available is_active is_enabled sellable purchasable valid`}

// StateKeys are the fields with the state of their record.
var StateKeys = Set{List: `status state workflow_state lifecycle_state current_state transition new_status new_state target_status
	target_state`}

// TrashPlaces are the folders and labels of deleted things.
var TrashPlaces = Set{List: `trash bin recycle_bin deleted_items deleteditems`}

// TrialKeys are the flags of calls that only show what would happen, in arguments and results,
// and AskingKeys those of results that wait for somebody to agree.
var (
	TrialKeys = Set{List: `dry_run dryrun is_dry_run simulate simulated simulation preview preview_only validate_only what_if whatif
		plan_only`}
	AskingKeys = Set{List: `needs_confirmation requires_confirmation confirmation_required pending_confirmation needs_approval
		requires_approval approval_required pending_approval confirm_required requires_review needs_review pending_review
		awaiting_approval confirm_token confirmation_token confirm_url confirmation_url approval_id approval_url approval_token`}
)

// What results say of an outcome: words of keys over what was done and what was not, states of
// calls that did nothing, and keys of messages.
var (
	DoneWords = Set{List: `deleted removed affected changed modified trashed updated cancelled canceled archived merged succeeded
		success successful`}
	FailedWords = Set{List: `failed failure failures error errors skipped unprocessed refused denied not_deleted not_removed not_found
		fehler erreur errore erro błąd fout`}
	// DeletionWords are further DoneWords for the answers of calls that delete: deleteBoat.
	DeletionWords = Set{List: `delete remove destroy terminated purged destroyed erased`}
	// NoneWords stand beside a word of failure where nothing failed: no errors, errors: 0.
	NoneWords = Set{List: `0 no none without ohne sans senza sem sin zonder bez`}
	// ErrorKeys hold an error, or one of NoErrorWords if the call succeeded. SuccessKeys hold a
	// flag for success, StatusKeys a status code of HTTP, ResultKeys a word for the outcome, and
	// CountKeys how many things the call acted on.
	ErrorKeys    = Set{List: `error errors exception fault failure fail fehler erreur errore erro`}
	NoErrorWords = Set{List: `ok none no nil false 0 success no_error noerror`}
	SuccessKeys  = Set{List: `ok success successful succeeded is_success erfolg exito éxito succès sucesso successo sukces`}
	StatusKeys   = Set{List: `status status_code http_status code`}
	ResultKeys   = Set{List: `result outcome`}
	CountKeys    = Set{List: `count n row_count rowcount rows_affected changes num_removed`}
	UndoneStates = Set{List: `pending queued accepted scheduled in_progress pending_confirmation awaiting_confirmation
		confirmation_required needs_confirmation requires_confirmation pending_approval awaiting_approval approval_required dry_run
		simulated simulation preview skipped refused denied rejected forbidden unauthorized invalid timeout timed_out fail failed failure
		error unchanged not_modified noop no_op not_deleted not_found blocked conflict ignored ausstehend pendiente en_attente pendente
		in_attesa`}
	// UndoneWords are words of such states: scheduled_for_deletion.
	UndoneWords = Set{List: `pending scheduled awaiting requires needs required requested marked submitted`}
	MessageKeys = Set{List: `message msg detail details error reason note warning info result output status_message hint`}
)

// FaultyNouns are what an error says to be wrong, Invalid Request, and ErrorTopics are words behind
// "error" in titles of what is written about errors.
var (
	FaultyNouns = Set{List: `request error access id key token parameter argument input credentials response value format type url user
		password session resource path name query api operation status code`}
	ErrorTopics = Set{List: `handling correction boundaries boundary budget budgets tracking rates codes pages`}
)

// AbsenceWords follow "no" in a sentence which says that a search found nothing: No orders match.
var AbsenceWords = Set{List: `found exist exists match matches matching matched available result results record records data items entries
	rows hits such id returned`}

// ReportKeys are the other keys of an answer that tells how a call went, and nothing of a thing.
var ReportKeys = Set{List: `ok success successful succeeded status status_code http_status code error errors exception fault failure fail
	error_code error_type error_message error_messages is_error message messages msg detail details reason note warning warnings info hint
	title type kind name found exists deleted removed instance path url_path method timestamp time date took request_id trace_id
	correlation_id error_id host_id transaction_id log_id documentation_url doc_url docs help help_url more_info info_url param parameter
	field fields extensions meta metadata content is_retryable retryable resource resource_type api_version index`}

// UndonePhrases are parts of sentences that say that a call did nothing, or asks first.
var UndonePhrases = [...]string{
	"would be ", "would have ", "would delete", "would remove", "dry run", "dry-run", "simulat", "not been ", "was not ", "were not ",
	"not deleted", "not removed", "nothing ", "no changes", "no change ", "no rows", "are you sure", "please confirm", "to confirm",
	"needs confirmation", "requires confirmation", "confirmation required", "confirm=", "to proceed", "to continue", "will be deleted",
	"will be removed", "is pending", "pending approval", "pending confirmation", "for deletion", "for removal", "awaiting approval",
	"awaiting confirmation", "requires approval", "needs approval", "cannot", "can't", "can not ", "could not", "couldn't", "unable",
	"not allowed", "not permitted", "forbidden", "permission denied", "no permission", "lack permission", "lacks permission",
	"t have permission", "insufficient permission", "t have access", "not authorized", "unauthorized", "is disabled", "must be ",
	"must first", "is locked", "is protected", "is in use", "still in use", "not found", "does not exist", "no such ", "error:",
	"won't ", "nicht gefunden", "nicht gelöscht", "fehlgeschlagen", "keine berechtigung", "verweigert", "échec de", "a échoué",
	"mislukt", "falha ao", "no fue ", "non può", "não pode", "wurde nicht", "konnte nicht", "existiert nicht", "no se pud",
	"no se ha pod", "no se encontr", "no existe", "no encontrad", "introuvable", "n'a pas", "n'existe pas", "impossible de",
	"impossibile", "não foi", "não exist", "não encontr", "não pôde", "non è stat", "non trovat", "non esiste", "nie został",
	"nie można", "nie udało", "nie znalez", "nie istnieje", "niet gevonden", "kon niet", "bestaat niet",
}

// warnings removes parts of sentences about what was done that sound like a refusal.
var warnings = strings.NewReplacer("cannot be undone", "", "can't be undone", "", "can not be undone", "",
	"cannot be reversed", "", "cannot be recovered", "", "cannot be restored", "")

// WithoutWarnings returns a text in lower case without what it says of how final a deed is: "Boat 12
// deleted. This cannot be undone."
func WithoutWarnings(lower string) string { return warnings.Replace(lower) }

// SurvivorWords and MergedWords are words in the arguments of a merge that name what stays, and
// what is gone afterwards.
var (
	SurvivorWords = Set{List: `target primary winner keep kept destination dest survivor surviving master main into canonical parent`}
	MergedWords   = Set{List: `source sources secondary loser losers duplicate duplicates dupe merge merged victim other others child`}
)

// NaturalLists are arguments that list things by identifiers of no type.
var NaturalLists = Set{List: `keys numbers paths names skus codes slugs`}

// RemarkKeys are arguments that say something about a call rather than name a thing.
var RemarkKeys = Set{List: `reason comment note message version etag force confirm permanent permanently hard soft notify locale language
	idempotency_key owner repo repository action operation method`}

// HoistedKeys name parts that hold a record's own fields.
var HoistedKeys = Set{List: `metadata attributes fields _source _additional properties sys _links`}

// AboutKeys name parts that are about the answer or about the form of arguments, or lead to other answers,
// and hold nothing of its own.
var AboutKeys = Set{List: `rate_limit rate_limits ratelimit response_metadata pagination paging page_info pageinfo expandable input_schema
	inputschema output_schema json_schema`}

// EnvironmentNames are variables that every process has, and EnvironmentKeys name their maps.
var (
	EnvironmentNames = Set{List: `PATH HOME SHELL PWD LANG TERM HOSTNAME TMPDIR LOGNAME SHLVL EDITOR LC_ALL`}
	EnvironmentKeys  = Set{List: `env environment environment_variables env_vars variables`}
)

// NamingKeys name parts that say what the record around them is called.
var NamingKeys = Set{List: `profile settings personal person_name names titles translation translations localization localizations payload
	headers snippet detail details info information overview basics general`}

// SharedNouns are types of what many records share: none of them is called after one that it
// classifies.
var SharedNouns = Set{List: `category type kind status genre topic tag label language country currency priority severity stage tier`}

// PartKeys name parts of a record that have codes and names without being entities.
var PartKeys = Set{List: `status state stage severity priority level currency country language locale unit type kind`}

// RowNouns name fields that hold the identifier of a row without naming its type.
var RowNouns = Set{List: `item record row entry element entity object resource thing`}

var (
	// NoiseWords are last words of field names whose values are neither identifiers nor
	// useful facts.
	NoiseWords = Set{List: `at timestamp link etag checksum hash md5 sha1 sha256 sha512 digest signature fingerprint html avatar icon
		thumbnail gravatar base64 blob cursor offset nonce latitude longitude lat lng lon geo coordinates`}
	// NoiseFirst are the first words of field names for bookkeeping.
	NoiseFirst = Set{List: `odata created updated modified edited deleted inserted changed fetched cached indexed synced`}
	// NoIDBefore are words that keep a following number, code or key from being an
	// identifier: phone_number, status_code.
	NoIDBefore = Set{List: `phone telephone mobile fax page line house street version status error response http exit return zip postal
		post area country currency language lang locale region state time zone color colour primary foreign sort partition public private
		api access secret encryption total max min port row column week day month year quarter age security card pan cvv dial calling
		weather qr bar source plain html hex raw text display first last middle given family full nick host telefon handy mobil haus
		seiten zeilen versions telefono teléfono telefone téléphone celular casa rue calle civico página pagina total`}
	// NoRecordBefore are words before "id" that name a request, not an entity.
	NoRecordBefore = Set{List: `request req trace span correlation idempotency x client_request amz log nonce rpc jsonrpc device_request
		event_trace parent_span causation data`}
)

// NumeroWords are words for number that stand before the noun: numeroFactura.
var NumeroWords = Set{List: `numero número numéro nro`}

// OrnamentNouns are words before "id" in the names of what only programs fetch: pictures, and points
// in the history of a mailbox.
var OrnamentNouns = Set{List: `avatar icon thumbnail gravatar history`}

// LinkWords are last words of field names that hold a link.
var LinkWords = Set{List: `url uri href link permalink`}

// ContentWords are in the names of links to the content of a thing.
var ContentWords = Set{List: `pdf download file raw attachment export content archive tarball zipball zip csv xlsx`}

// TurningWords are in the names of links to other pages of an answer.
var TurningWords = Set{List: `next prev previous`}

// KeyTails are words at the end of a key that describe a container.
var KeyTails = Set{List: `list data info detail result record response object collection array map set edge node`}

// TransportKeys are the fields in which programs pass on a whole result as a string.
var TransportKeys = Set{List: `stdout output outputs response result results data payload return_value tool_result json`}

// ExitKeys are the fields beside which an output is that of a program.
var ExitKeys = Set{List: `exit_code exit_status return_code returncode exitcode exit`}

// RunKeys are other fields and tags about the run of a program rather than its output.
var RunKeys = Set{List: `metadata meta duration duration_ms duration_seconds duration_secs wall_time wall_time_seconds elapsed elapsed_ms
	elapsed_seconds execution_time execution_time_ms time_ms took_ms timed_out timeout interrupted killed signal truncated
	stdout_truncated stderr_truncated cwd working_directory workdir is_image command cmd shell`}

// AsideWords are in the names of tags around what a program says to the model, beside the result.
var AsideWords = Set{List: `reminder notice hint`}

// AnswerKeys are the fields beside which a body is that of an answer over HTTP.
var AnswerKeys = Set{List: `status_code http_status http_code`}

// SettingKeys are fields with the name of a setting, besides those of names, and SettingValueKeys
// the fields beside them with its value.
var (
	SettingKeys      = Set{List: `key setting field label variable env option property parameter question`}
	SettingValueKeys = Set{List: `value values content answer new old new_value old_value`}
)

// DescribingKeys name parts that describe the record around them.
var DescribingKeys = Set{List: `snippet detail details info information overview summary basics general`}

// FormWords are words behind "id" in the names of identifiers that tell their form: id_str.
var FormWords = Set{List: `str string value nullable optional raw`}

// OwnNouns are words before "id" in the names of further identifiers of a record: custom_id.
var OwnNouns = Set{List: `custom public display short unique friendly web node admin_graphql_api graphql external internal legacy i_cal`}

// OpaqueNouns name identifiers that exist beside the usual ones, for machines, other
// systems or authorities: node_id, routing_number.
var OpaqueNouns = Set{List: `node admin_graphql_api graphql external internal legacy spdx routing tax i_cal data_type`}

// ContentKeys are the arguments that hold what is written into a thing, or why.
var ContentKeys = Set{List: `body content contents text html markdown message comment comments note notes description reason data value
	values old_string new_string old_text new_text old_str new_str patch diff action operation`}

// PageTokenKeys name the token of the next page of results.
var PageTokenKeys = Set{List: `page_token next_page_token cursor next_cursor continuation_token next_continuation_token marker next_marker
	pagetoken next_pagetoken sync_token next_sync_token next_token end_cursor`}

// The names of persons: GivenNameKeys and FamilyNameKeys hold their parts, and NamePrefixes begin the names
// of fields whose names or titles are those of no thing.
var (
	GivenNameKeys  = Set{List: `first_name given_name fore_name firstname givenname forename`}
	FamilyNameKeys = Set{List: `last_name family_name sur_name lastname familyname surname`}
	NamePrefixes   = Set{List: `first given last family middle nick host domain zone`}
)
