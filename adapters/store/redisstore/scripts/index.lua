-- Shared by the scripts on the index. KEYS, all in one slot: three sorted sets of all
-- sessions, whose members start with the namespace (these are the texts of the keys), the
-- user id and the session id; a sorted set of expiries; a hash of the sessions that are
-- being created, deleted, or given an earlier expiry or due time; a counter; a sorted set of
-- due times.
local by_namespace, by_user, by_session = KEYS[1], KEYS[2], KEYS[3]
local expiring, pending, counter = KEYS[4], KEYS[5], KEYS[6]
local due_set = KEYS[7]

-- How long after its mark a change is allowed, and when a mark is dropped. The latter is
-- longer because the clocks of two servers may differ. See doc.go.
local fence_ms, settled_ms = 60000, 120000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function text(number) return string.format('%.0f', number) end

-- free lets a script write to a full server: Redis checks the memory before the first write
-- only, and allows this one, of a field that never exists.
local function free() redis.call('HDEL', pending, '') end

-- An entry of `pending` has the stamp of its last change, the stamp of its first one, and
-- the unsettled marks, each with its time. Marks that are too old are skipped: their change
-- was made long ago or never will be. Stamps are increasing numbers, independent of clocks.
local function entry_of(key, entry)
	entry = entry or redis.call('HGET', pending, key)
	if not entry then return end
	local stamp, since, open = string.match(entry, '^(%d+):(%d+):([ %d@]*)$')
	local e = { stamp = stamp or '0', since = tonumber(since or 0), open = {} }
	for mark, at in string.gmatch(open or '', '(%d+)@(%d+)') do
		if now - at <= settled_ms then e.open[#e.open + 1] = mark .. '@' .. at end
	end
	return e
end

-- put writes an entry with a new stamp, which also becomes a mark if opens is true.
local function put(key, e, opens)
	e.stamp = text(redis.call('INCR', counter))
	if opens then e.open[#e.open + 1] = e.stamp .. '@' .. text(now) end
	redis.call('HSET', pending, key, e.stamp .. ':' .. text(e.since or e.stamp) .. ':' .. table.concat(e.open, ' '))
end

-- apply writes the state of a session to the index: whether it exists, its expiry, and its
-- due time ('0' for none, '?' to keep the time of an unreadable one).
local function apply(key, live, expires, due)
	local namespace, user, id = string.match(key, '^([^/]*)/([^/]*)/([^/]*)$')
	if not namespace then return end
	local user_member = user .. '/' .. namespace .. '/' .. id
	-- The trailing slash sorts user ids as in the key.
	local session_member = id .. '/' .. namespace .. '/' .. user .. '/'
	if live ~= '1' then
		redis.call('ZREM', by_namespace, key)
		redis.call('ZREM', by_user, user_member)
		redis.call('ZREM', by_session, session_member)
		redis.call('ZREM', expiring, key)
		redis.call('ZREM', due_set, key)
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
	if due == '0' then
		redis.call('ZREM', due_set, key)
	elseif due ~= '?' then
		redis.call('ZADD', due_set, due, key)
	end
end
