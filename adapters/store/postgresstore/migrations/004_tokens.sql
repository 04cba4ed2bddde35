-- Tokens of a server: what is kept of them. There is nothing by which one could be used:
-- hash is SHA-256 of its secret part.
CREATE TABLE {schema}.tokens (
	id          text COLLATE "C" PRIMARY KEY,
	description text NOT NULL,
	namespace   text NOT NULL, -- '': not bound to one
	user_id     text NOT NULL, -- '': not bound to one
	created_at  timestamptz NOT NULL,
	expires_at  timestamptz, -- NULL: never
	hash        bytea NOT NULL CHECK (length(hash) = 32)
);
