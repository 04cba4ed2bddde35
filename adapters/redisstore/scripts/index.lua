-- What the scripts on the index share. KEYS, all in one slot: three sorted sets of
-- all sessions, whose members begin with the namespace (and are the text of the key),
-- the user id and the session id; a sorted set of the times of expiry; a hash of the
-- sessions that are being made, removed or given an earlier expiry; a counter.
local by_namespace, by_user, by_session = KEYS[1], KEYS[2], KEYS[3]
local expiring, pending, counter = KEYS[4], KEYS[5], KEYS[6]

-- How long after its mark a change may be made, and when a mark counts as left behind
-- (more than that, for the clocks of two servers may differ): see index.go.
local fence_ms, settled_ms = 60000, 120000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function text(number) return string.format('%.0f', number) end

-- An entry of `pending` says how many calls have marked the session and not settled
-- it, which change of the entry was the last, since when there is an entry, and when
-- it was last marked.
local function parse(entry)
	local count, stamp, since, marked = string.match(entry, '^(%d+):(%d+):(%d+):(%d+)$')
	if not count then return { count = 0, stamp = '0', since = 0, marked = 0 } end
	return { count = tonumber(count), stamp = stamp, since = tonumber(since), marked = tonumber(marked) }
end

local function entry_of(key)
	local entry = redis.call('HGET', pending, key)
	return entry and parse(entry)
end

-- put writes an entry with a new stamp, which it returns.
local function put(key, e)
	e.stamp = text(redis.call('INCR', counter))
	redis.call('HSET', pending, key, text(e.count) .. ':' .. e.stamp .. ':' .. text(e.since) .. ':' .. text(e.marked))
	return e.stamp
end

-- apply makes the index say whether there is the session, and when it expires.
local function apply(key, live, expires)
	local namespace, user, id = string.match(key, '^([^/]*)/([^/]*)/([^/]*)$')
	if not namespace then return end
	local user_member = user .. '/' .. namespace .. '/' .. id
	-- The slash at the end keeps the order that it gives a user id in the key.
	local session_member = id .. '/' .. namespace .. '/' .. user .. '/'
	if live ~= '1' then
		redis.call('ZREM', by_namespace, key)
		redis.call('ZREM', by_user, user_member)
		redis.call('ZREM', by_session, session_member)
		redis.call('ZREM', expiring, key)
		return
	end
	redis.call('ZADD', by_namespace, 0, key)
	redis.call('ZADD', by_user, 0, user_member)
	redis.call('ZADD', by_session, 0, session_member)
	if expires == '0' then
		redis.call('ZREM', expiring, key)
	else
		redis.call('ZADD', expiring, expires, key)
	end
end
