package postgresstore

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/internal/jsonweight"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// recordColumns are the columns of recordScan, of a table r.
const recordColumns = `r.version, r.namespace, r.user_id, r.record_id, r.hash, r.session_id, r.type, r.strategy, r.text,
	r.topics, r.entities, r.extracted_from, r.metadata, r.extraction_config, r.pinned, r.access_count,
	r.event_date, r.created_at, r.updated_at, r.last_accessed, r.persisted_at`

// insertRecord inserts an entry with the arguments of recordArguments.
const insertRecord = `WITH r AS (INSERT INTO {schema}.records (namespace, user_id, record_id, hash, session_id, type, strategy, text,
	topics, entities, extracted_from, metadata, extraction_config, pinned, access_count,
	event_date, created_at, updated_at, last_accessed, persisted_at,
	tags, terms, length, model, dimension, origin, stale)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
		$21, $22::text::tsvector, $23, $24, $25, $27, false) RETURNING id, dimension, type, created_at, last_accessed),
	v AS (INSERT INTO {schema}.vectors (record, vector) SELECT id, $26 FROM r WHERE dimension > 0),
	w AS (SELECT *, $28::uuid AS space, $29::bit varying AS code FROM r)
	` + insertCodes

func recordArguments(e *longtermdriver.Entry) ([]any, error) {
	r := &e.Record
	metadata, err := objectText(r.Metadata)
	if err != nil {
		return nil, err
	}
	config, err := objectText(r.ExtractionConfig)
	if err != nil {
		return nil, err
	}
	return []any{
		[]byte(r.Namespace), []byte(r.UserID), []byte(r.ID), []byte(r.Hash), []byte(r.SessionID),
		[]byte(r.Type), []byte(r.ExtractionStrategy), []byte(r.Text),
		allBytes(r.Topics), allBytes(r.Entities), allBytes(r.ExtractedFrom), metadata, config, r.Pinned, int64(r.AccessCount),
		stored(r.EventDate), stored(r.CreatedAt), stored(r.UpdatedAt), stored(r.LastAccessed), stored(r.PersistedAt),
		append(tagsOf('t', r.Topics), tagsOf('e', r.Entities)...), vectorOfTerms(e.Terms), int32(len(e.Terms)),
		[]byte(e.Model), int32(len(e.Vector)), e.Vector, []byte(e.Origin),
		spaceOf(ownerOf(r.Namespace, r.UserID), e.Model, len(e.Vector)), codeOf(e.Vector),
	}, nil
}

// objectText returns a JSON object as it is stored, nil for an empty one.
func objectText(object map[string]any) (*string, error) {
	if len(object) == 0 {
		return nil, nil
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, longtermdriver.ErrMetadata
	}
	return new(string(data)), nil
}

// decodeObject decodes a stored JSON object.
func decodeObject(text *string) (object map[string]any, err error) {
	if text == nil {
		return nil, nil
	}
	decoder := json.NewDecoder(strings.NewReader(*text))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		return nil, longtermdriver.ErrMetadata
	}
	return object, nil
}

// stored returns a time as it is stored, nil for the zero time.
func stored(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(inRange(t).Truncate(time.Microsecond))
}

// allBytes returns texts as bytea[], never NULL.
func allBytes(texts []string) [][]byte {
	all := make([][]byte, len(texts))
	for i, text := range texts {
		all[i] = []byte(text)
	}
	return all
}

func allTexts(all [][]byte) []string {
	if len(all) == 0 {
		return nil
	}
	texts := make([]string, len(all))
	for i, data := range all {
		texts[i] = string(data)
	}
	return texts
}

// recordScan receives the columns of a record.
type recordScan struct {
	version                                                             int64
	namespace, userID, id, hash, sessionID, kind, strategy, text, model []byte
	topics, entities, extractedFrom                                     [][]byte
	metadata, config                                                    *string
	pinned                                                              *bool
	accessCount                                                         *int64
	event, created, updated, accessed, persisted                        *time.Time
}

// into returns the targets of recordColumns.
func (c *recordScan) into() []any {
	return []any{
		&c.version, &c.namespace, &c.userID, &c.id, &c.hash, &c.sessionID, &c.kind, &c.strategy, &c.text,
		&c.topics, &c.entities, &c.extractedFrom, &c.metadata, &c.config, &c.pinned, &c.accessCount,
		&c.event, &c.created, &c.updated, &c.accessed, &c.persisted,
	}
}

// memory estimates the memory of the record, as stored and decoded.
func (c *recordScan) memory() int64 {
	bytes := int64(2 * (len(c.text) + len(c.id) + len(c.namespace) + len(c.userID) + len(c.sessionID)))
	for _, texts := range [][][]byte{c.topics, c.entities, c.extractedFrom} {
		for _, text := range texts {
			bytes += int64(2 * (len(text) + textBytes))
		}
	}
	for _, object := range []*string{c.metadata, c.config} {
		if object != nil {
			bytes += jsonweight.Stored([]byte(*object)) + int64(len(*object))
		}
	}
	return bytes
}

// textBytes is the memory of a text besides its bytes.
const textBytes = 24

func (c *recordScan) record() (longtermdriver.Record, error) {
	r := longtermdriver.Record{
		Namespace: string(c.namespace), UserID: string(c.userID), ID: string(c.id), Hash: string(c.hash),
		SessionID: string(c.sessionID), Type: sessiondriver.RecordType(c.kind), ExtractionStrategy: string(c.strategy),
		Text: string(c.text), Topics: allTexts(c.topics), Entities: allTexts(c.entities), ExtractedFrom: allTexts(c.extractedFrom),
		Pinned: *c.pinned, AccessCount: int(*c.accessCount),
		EventDate: utc(c.event), CreatedAt: utc(c.created), UpdatedAt: utc(c.updated),
		LastAccessed: utc(c.accessed), PersistedAt: utc(c.persisted),
	}
	var err error
	if r.Metadata, err = decodeObject(c.metadata); err == nil {
		r.ExtractionConfig, err = decodeObject(c.config)
	}
	return r, err
}

// scanEntry scans recordColumns, model, vector and origin.
func scanEntry(row pgx.CollectableRow, reserve func(bytes int64) error) (longtermdriver.Entry, error) {
	var c recordScan
	var e longtermdriver.Entry
	var origin []byte
	if err := row.Scan(append(c.into(), &c.model, &e.Vector, &origin)...); err != nil {
		return e, err
	}
	if err := reserve(c.memory() + int64(8*len(e.Vector))); err != nil {
		return e, err
	}
	record, err := c.record()
	e.Record, e.Version, e.Model, e.Origin = record, uint64(c.version), string(c.model), string(origin)
	return e, err
}
