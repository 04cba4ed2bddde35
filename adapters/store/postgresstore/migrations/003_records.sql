-- Records of long-term memory. Texts are UTF-8 in which there may be NUL, which is why
-- they are bytea: convert_from(text, 'UTF8') shows one that has none.
CREATE TABLE {schema}.records (
	id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	-- Of a sequence: a key that was removed never gets one again that it had.
	version        bigint GENERATED ALWAYS AS IDENTITY,
	-- A namespace and a user may be longer than an entry of an index.
	owner          bytea NOT NULL
		GENERATED ALWAYS AS (sha256(int4send(length(namespace)) || namespace || user_id)) STORED,
	namespace      bytea NOT NULL,
	user_id        bytea NOT NULL,
	record_id      bytea NOT NULL,
	hash           bytea NOT NULL,
	session_id     bytea NOT NULL,
	type           bytea NOT NULL,
	strategy       bytea NOT NULL,
	text           bytea NOT NULL,
	topics         bytea[] NOT NULL,
	entities       bytea[] NOT NULL,
	extracted_from bytea[] NOT NULL,
	metadata       text, -- JSON
	pinned         boolean NOT NULL,
	access_count   bigint NOT NULL,
	event_date     timestamptz,
	created_at     timestamptz,
	updated_at     timestamptz,
	last_accessed  timestamptz,
	persisted_at   timestamptz,
	origin         bytea NOT NULL DEFAULT '', -- longterm.Entry.Origin
	-- A number for each topic and entity: texts can be too long for an index.
	tags           bigint[] NOT NULL,
	-- Each term has as many positions as it comes times, up to 255: 1, 2, 3 and so on.
	-- Where it stands in the text is not known.
	terms          tsvector NOT NULL,
	length         integer NOT NULL, -- of the text, in terms
	model          bytea NOT NULL, -- of the vector
	dimension      integer NOT NULL -- of the vector, 0: there is none
) WITH (fillfactor = 85);

CREATE UNIQUE INDEX records_key ON {schema}.records (owner, record_id);
CREATE UNIQUE INDEX records_hash ON {schema}.records (owner, hash);
CREATE INDEX records_namespace ON {schema}.records (substring(namespace, 1, 1000));
CREATE INDEX records_user_id ON {schema}.records (substring(user_id, 1, 1000));
CREATE INDEX records_terms ON {schema}.records USING gin (terms);
CREATE INDEX records_tags ON {schema}.records USING gin (tags);

-- Apart from records: searches by words read far less. Up to some 2,000 numbers a vector
-- stays in its row, from where it is compared without a copy.
CREATE TABLE {schema}.vectors (
	record bigint PRIMARY KEY REFERENCES {schema}.records (id) ON DELETE CASCADE,
	vector real[] NOT NULL
) WITH (toast_tuple_target = 8160);
ALTER TABLE {schema}.vectors ALTER vector SET STORAGE MAIN;

-- How many records an owner has, and how many terms those have, with repeats: BM25 needs
-- both, and to count is to read all of them. Who removes records by hand makes these
-- numbers, by which nothing but ranks is made, wrong.
CREATE TABLE {schema}.owners (
	owner     bytea PRIMARY KEY, -- as in records
	namespace bytea NOT NULL,
	user_id   bytea NOT NULL,
	records   bigint NOT NULL,
	terms     bigint NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX owners_namespace ON {schema}.owners (substring(namespace, 1, 1000));
CREATE INDEX owners_user_id ON {schema}.owners (substring(user_id, 1, 1000));
