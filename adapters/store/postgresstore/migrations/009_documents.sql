-- Documents of summary views: see DocumentStore of memory/longterm/summaryview/driver. Keys and
-- revisions are ASCII.
CREATE TABLE {schema}.documents (
	key      text COLLATE "C" PRIMARY KEY,
	revision text COLLATE "C" NOT NULL,
	due_at   timestamptz, -- NULL: never
	value    bytea NOT NULL
);
CREATE INDEX documents_due ON {schema}.documents (due_at, key) WHERE due_at IS NOT NULL;
