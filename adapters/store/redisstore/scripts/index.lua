-- What the scripts on the index share. KEYS, all in one slot: three sorted sets of
-- all sessions, whose members begin with the namespace (and are the text of the key),
-- the user id and the session id; a sorted set of the times of expiry; a hash of the
-- sessions that are being made, removed, or given an earlier expiry or due time; a
-- counter; a sorted set of the times at which sessions are due.
local by_namespace, by_user, by_session = KEYS[1], KEYS[2], KEYS[3]
local expiring, pending, counter = KEYS[4], KEYS[5], KEYS[6]
local due_set = KEYS[7]

-- How long after its mark a change may be made, and when a mark counts as left behind
-- (more than that, for the clocks of two servers may differ): see index.go.
local fence_ms, settled_ms = 60000, 120000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function text(number) return string.format('%.0f', number) end

-- free lets a script write when the memory is full: Redis checks that before the first
-- write only, and allows this one, of a field that is never there.
local function free() redis.call('HDEL', pending, '') end

-- An entry of `pending` has the stamp of its last change, the stamp of its first one,
-- and the marks that are not settled, each with the time at which it was made. A mark
-- that is too old is not read: its change was made long ago, or never will be.
-- Stamps are numbers that grow, whatever clocks do.
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

-- put writes an entry with a new stamp, which becomes a mark too if opens is true.
local function put(key, e, opens)
	e.stamp = text(redis.call('INCR', counter))
	if opens then e.open[#e.open + 1] = e.stamp .. '@' .. text(now) end
	redis.call('HSET', pending, key, e.stamp .. ':' .. text(e.since or e.stamp) .. ':' .. table.concat(e.open, ' '))
end

-- apply makes the index say whether there is the session, when it expires, and when it
-- is due ('0': not at all; '?': as it was, for it cannot be read).
local function apply(key, live, expires, due)
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
