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
	dimension      integer NOT NULL, -- of the vector, 0: there is none
	vector         real[]
) WITH (fillfactor = 85);

-- Texts stay in the table as long as they are short; vectors leave it first.
ALTER TABLE {schema}.records ALTER vector SET STORAGE EXTERNAL;

CREATE UNIQUE INDEX records_key ON {schema}.records (owner, record_id);
-- With the length a search knows how many records an owner has, and how long they are,
-- of the index alone.
CREATE UNIQUE INDEX records_hash ON {schema}.records (owner, hash) INCLUDE (length);
CREATE INDEX records_namespace ON {schema}.records (substring(namespace, 1, 1000));
CREATE INDEX records_user_id ON {schema}.records (substring(user_id, 1, 1000));
CREATE INDEX records_terms ON {schema}.records USING gin (terms);
CREATE INDEX records_tags ON {schema}.records USING gin (tags);

-- The cosine of two vectors of length 1 and of one dimension. Eight products at a time:
-- most of what this costs are its statements.
CREATE FUNCTION {schema}.similarity(a real[], b double precision[]) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	s double precision := 0;
	i integer := 1;
	n integer := cardinality(a);
BEGIN
	WHILE i + 7 <= n LOOP
		s := s + (a[i] * b[i] + a[i+1] * b[i+1] + a[i+2] * b[i+2] + a[i+3] * b[i+3]
			+ a[i+4] * b[i+4] + a[i+5] * b[i+5] + a[i+6] * b[i+6] + a[i+7] * b[i+7]);
		i := i + 8;
	END LOOP;
	WHILE i <= n LOOP
		s := s + a[i] * b[i];
		i := i + 1;
	END LOOP;
	RETURN greatest(-1, least(1, s));
END $$;
