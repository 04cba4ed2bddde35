-- The results of each kind are a list of their own.
ALTER TABLE {schema}.results ADD kind smallint NOT NULL DEFAULT 0; -- driver.ResultKind
ALTER TABLE {schema}.results DROP CONSTRAINT results_session_id_result_id_key;
ALTER TABLE {schema}.results ADD UNIQUE (session_id, kind, result_id);

DROP FUNCTION {schema}.put_result(bytea, bytea, bytea, timestamptz, bytea, integer, bigint, bigint);
-- put_result adds a result to those of its kind of a session and removes the oldest beyond the
-- limits, in one transaction and one round trip. It returns false if there is no session.
CREATE FUNCTION {schema}.put_result(
	p_key_hash bytea, p_kind smallint, p_result_id bytea, p_meta bytea, p_created_at timestamptz, p_content bytea,
	p_chunk integer, -- bytes
	p_most bigint, p_limit bigint -- results and bytes
) RETURNS boolean LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	v_session bigint;
	v_result  bigint;
BEGIN
	-- Those who put results into a session take turns, and a deletion waits.
	SELECT id INTO v_session FROM {schema}.sessions WHERE key_hash = p_key_hash
		AND (expires_at IS NULL OR expires_at > clock_timestamp()) FOR NO KEY UPDATE;
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	INSERT INTO {schema}.results (session_id, kind, result_id, size, meta, created_at)
		VALUES (v_session, p_kind, p_result_id, length(p_content), p_meta, p_created_at)
		ON CONFLICT (session_id, kind, result_id) DO NOTHING
		RETURNING id INTO v_result;
	IF NOT FOUND THEN
		RETURN true;
	END IF;
	INSERT INTO {schema}.chunks (result_id, n, content)
		SELECT v_result, i, substring(p_content FROM i * p_chunk + 1 FOR p_chunk)
		FROM generate_series(0, (length(p_content) + p_chunk - 1) / p_chunk - 1) AS i;
	DELETE FROM {schema}.results WHERE id IN (
		SELECT id FROM (
			SELECT id, row_number() OVER newest AS number, sum(size) OVER newest AS sum
				FROM {schema}.results WHERE session_id = v_session AND kind = p_kind WINDOW newest AS (ORDER BY id DESC)
		) AS r WHERE number > p_most OR sum > p_limit);
	RETURN true;
END $$;
