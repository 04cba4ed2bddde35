-- Codes of vectors, whose differences tell how near vectors are, in rows that are small enough to
-- read all of an owner in a search. Every record with a vector has one unless it is stale.
CREATE TABLE {schema}.codes (
	record   bigint PRIMARY KEY REFERENCES {schema}.records (id) ON DELETE CASCADE,
	created  double precision NOT NULL, -- records.created_at as Unix time in seconds, -Infinity if unknown
	accessed double precision NOT NULL, -- the later of records.last_accessed and created
	space    uuid NOT NULL, -- a hash of the owner, the model and the dimension
	type     bytea NOT NULL, -- as in records
	code     bit varying NOT NULL
) WITH (fillfactor = 90);
-- A value in the plain format is compared without a copy.
ALTER TABLE {schema}.codes ALTER code SET STORAGE PLAIN;
CREATE INDEX codes_space ON {schema}.codes (space);

-- Stale records were written by an earlier version: their terms are outdated and their vectors
-- have no codes. Stores index them again in the background.
ALTER TABLE {schema}.records ADD stale boolean NOT NULL DEFAULT true;
CREATE INDEX records_stale ON {schema}.records (owner) WHERE stale;

-- The messages of a session in order.
CREATE INDEX records_messages ON {schema}.records
	(owner, substring(session_id, 1, 1000), coalesce(created_at, '-infinity'), record_id) WHERE type = 'message';
