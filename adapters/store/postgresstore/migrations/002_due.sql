-- When a session is due for work in the background: most are not, and the index has
-- only those that are.
ALTER TABLE {schema}.sessions ADD due_at timestamptz;
CREATE INDEX sessions_due ON {schema}.sessions (due_at, id) WHERE due_at IS NOT NULL;

-- The function of version 1 has fewer parameters: processes that still call it are told
-- that it is not there, and change nothing.
--
-- change_session is Append and Write of a session.Store, in one transaction and one
-- round trip. o_outcome is 'done', 'conflict', 'format' (o_format is the later one) or
-- 'damaged'; nothing was changed unless it is 'done'.
DROP FUNCTION {schema}.change_session;
CREATE FUNCTION {schema}.change_session(
	p_key_hash bytea, p_namespace text, p_user_id text, p_session_id text,
	p_revision bigint, -- of a session that is made
	p_head bytea, p_format integer,
	p_ttl bigint, -- milliseconds, 0: keep the expiry, -1: none
	p_window bigint, p_now timestamptz,
	p_due timestamptz,
	p_ids bytea[], p_tokens bigint[], p_bodies text[],
	p_write boolean, -- false: Append, to which those below mean nothing
	p_if_revision bigint, p_if_next bigint, p_drop_before bigint, p_remembered bigint,
	p_set_due boolean, -- p_due replaces what is there, NULL too; false: only where nothing is
	OUT o_outcome text, OUT o_format integer, OUT o_revision bigint, OUT o_first bigint, OUT o_next bigint,
	OUT o_tokens bigint, OUT o_window bigint, OUT o_updated_at timestamptz, OUT o_expires_at timestamptz,
	OUT o_due_at timestamptz, OUT o_added bigint
) LANGUAGE plpgsql
-- Whatever search_path the caller has: no function or operator of others is called. It
-- has the caller's rights (SECURITY INVOKER).
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	v_id      bigint;
	v_known   boolean;
	v_live    boolean;
	v_moment  timestamptz;
	v_drop    bigint;
	v_count   bigint;
	v_tokens  bigint;
	v_message record;
BEGIN
	o_added := 0;
	LOOP
		SELECT id, format, revision, first, next, tokens, context_window, expires_at, due_at
			INTO v_id, o_format, o_revision, o_first, o_next, o_tokens, o_window, o_expires_at, o_due_at
			FROM {schema}.sessions WHERE key_hash = p_key_hash FOR UPDATE;
		v_known := FOUND;
		-- The clock is read once, and behind the lock: the time of the transaction's
		-- begin can be long ago.
		v_moment := clock_timestamp();
		v_live := v_known AND (o_expires_at IS NULL OR o_expires_at > v_moment);
		o_outcome := CASE
			WHEN v_live AND o_format > p_format THEN 'format'
			WHEN NOT p_write THEN 'done'
			WHEN p_if_revision = 0 AND v_live THEN 'conflict'
			WHEN p_if_revision <> 0 AND (NOT v_live OR o_revision <> p_if_revision
				OR (p_if_next <> 0 AND o_next <> p_if_next)) THEN 'conflict'
			ELSE 'done' END;
		IF o_outcome <> 'done' THEN
			RETURN;
		END IF;
		EXIT WHEN v_live;
		IF v_known THEN
			DELETE FROM {schema}.sessions WHERE id = v_id;
		END IF;
		INSERT INTO {schema}.sessions
			(namespace, user_id, session_id, format, head, revision, first, next, tokens, context_window, updated_at)
			VALUES (p_namespace, p_user_id, p_session_id, p_format, p_head, p_revision, 1, 1, 0, 0, p_now)
			ON CONFLICT (key_hash) DO NOTHING
			RETURNING id, format, revision, first, next, tokens, context_window, expires_at, due_at
			INTO v_id, o_format, o_revision, o_first, o_next, o_tokens, o_window, o_expires_at, o_due_at;
		EXIT WHEN FOUND;
		-- Another made the session at the same time: look again.
	END LOOP;

	IF p_write AND v_live THEN
		o_revision := o_revision + 1;
		o_format := p_format;
		v_drop := least(greatest(o_first, p_drop_before), o_next);
		IF v_drop > o_first THEN
			SELECT count(*), coalesce(sum(tokens), 0) INTO v_count, v_tokens FROM {schema}.messages
				WHERE session_id = v_id AND seq >= o_first AND seq < v_drop AND body IS NOT NULL;
			IF v_count <> v_drop - o_first THEN
				o_outcome := 'damaged';
				RETURN;
			END IF;
			DELETE FROM {schema}.messages WHERE session_id = v_id AND seq < v_drop - p_remembered;
			UPDATE {schema}.messages SET body = NULL WHERE session_id = v_id AND seq >= o_first AND seq < v_drop;
			o_first := v_drop;
			o_tokens := o_tokens - v_tokens;
		END IF;
	END IF;

	-- One by one: each looks into the indexes for itself alone, whatever a planner
	-- thinks of the number of messages. The rows of unnest come in their order.
	FOR v_message IN SELECT * FROM unnest(p_ids, p_tokens, p_bodies) AS u (id, tokens, body) LOOP
		INSERT INTO {schema}.messages AS m (session_id, seq, id, tokens, body)
			VALUES (v_id, o_next, v_message.id, v_message.tokens, v_message.body)
			ON CONFLICT (session_id, id) DO UPDATE
				SET seq = excluded.seq, tokens = excluded.tokens, body = excluded.body
				WHERE p_write AND m.seq < o_first; -- one that left comes back
		IF FOUND THEN
			o_next := o_next + 1;
			o_tokens := o_tokens + v_message.tokens;
			o_added := o_added + 1;
		END IF;
	END LOOP;

	o_updated_at := p_now;
	IF p_set_due OR o_due_at IS NULL THEN
		o_due_at := p_due;
	END IF;
	IF p_window <> 0 THEN
		o_window := p_window;
	END IF;
	IF p_ttl > 0 THEN
		-- Rounded up: a session never lives shorter than it should.
		o_expires_at := date_trunc('milliseconds', v_moment + interval '999 microseconds')
			+ p_ttl * interval '1 millisecond';
	ELSIF p_ttl < 0 THEN
		o_expires_at := NULL;
	END IF;
	IF p_write AND v_live THEN
		UPDATE {schema}.sessions SET head = p_head, format = o_format, revision = o_revision, first = o_first,
			next = o_next, tokens = o_tokens, context_window = o_window,
			updated_at = o_updated_at, expires_at = o_expires_at, due_at = o_due_at WHERE id = v_id;
	ELSE
		UPDATE {schema}.sessions SET next = o_next, tokens = o_tokens, context_window = o_window,
			updated_at = o_updated_at, expires_at = o_expires_at, due_at = o_due_at WHERE id = v_id;
	END IF;
END $$;
