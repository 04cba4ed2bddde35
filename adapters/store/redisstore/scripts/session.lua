-- Shared by the scripts on a session. KEYS: head, messages, ids, calls, and results and contents of
-- each kind, all in one slot. The last ones exist if result.lua has made them, and live as long as
-- the session.
-- Appends have their own list of calls: if their number pushed a write out of the list,
-- resending the write would be a conflict. ARGV[1] is the token of the call, ARGV[2] the time
-- in ms at which the session's mark in the index ends, or 0 if it has none.
local head, messages, ids, calls = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local kept = { messages, ids } -- with the head
for i = 5, #KEYS do kept[#kept + 1] = KEYS[i] end
local token, pending_until = ARGV[1], tonumber(ARGV[2])

-- How many ids of dropped messages are kept (driver.RememberedIDs), how many calls, and for
-- how long.
local remembered_ids, remembered_calls, calls_ms = 1000, 64, 60000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function text(number) return string.format('%.0f', number) end

-- recall returns the reply to the same call when it was sent before, with the status
-- 'again', since the session may have changed since then.
local function recall()
	local entries = redis.pcall('LRANGE', calls, 0, -1)
	for _, entry in ipairs(entries) do
		if string.sub(entry, 1, #token + 1) == token .. ' ' then
			local reply = {}
			for part in string.gmatch(string.sub(entry, #token + 2), '%S+') do
				reply[#reply + 1] = part
			end
			reply[1] = 'again'
			return reply
		end
	end
end

-- remember keeps the reply for recall. It contains only numbers of the session, so it may
-- outlive it.
local function remember(reply)
	local entry = token .. ' ' .. table.concat(reply, ' ')
	local pushed = redis.pcall('LPUSH', calls, entry)
	if type(pushed) == 'table' and pushed.err then return end
	redis.call('LTRIM', calls, 0, remembered_calls - 1)
	redis.call('PEXPIRE', calls, calls_ms)
end

local function damaged(part, why) return { 'damaged', part, why } end

local fields = { 'format', 'revision', 'first', 'next', 'updated', 'expires', 'indexed' }

local function is_number(value, digits)
	return value and #value <= (digits or 17) and string.find(value, '^%-?%d+$') ~= nil
end

-- read returns the session, nil if it does not exist, or nil and a reply that names the
-- damage. It changes nothing.
local function read()
	local values = redis.pcall('HMGET', head, 'tokens', 'window', unpack(fields))
	if values.err then return nil, damaged('head', 'not a hash') end
	if not values[3] and redis.call('EXISTS', head) == 0 then return nil end
	if not is_number(values[1], 20) then return nil, damaged('head', 'tokens is not a number') end
	if not is_number(values[2], 20) then return nil, damaged('head', 'window is not a number') end
	-- The window stays text, since it may exceed the precision of a number in Lua.
	local s = { tokens = tonumber(values[1]), window = values[2] }
	for i, field in ipairs(fields) do
		if not is_number(values[i + 2]) then
			return nil, damaged('head', field .. ' is not a number')
		end
		s[field] = tonumber(values[i + 2])
	end
	if string.sub(s.window, 1, 1) == '-' or s.first < 1 or s.next < s.first or s.revision < 1 or s.expires < 0 then
		return nil, damaged('head', 'inconsistent numbers')
	end
	-- Sessions of earlier versions lack these fields and are not due.
	local times = redis.call('HMGET', head, 'due', 'listed')
	if times[1] and not is_number(times[1]) then return nil, damaged('head', 'due is not a number') end
	s.due, s.listed = tonumber(times[1] or 0), is_number(times[2]) and tonumber(times[2]) or 0
	s.length = redis.pcall('LLEN', messages)
	if type(s.length) == 'table' then return nil, damaged('messages', 'not a list') end
	if s.length ~= s.next - s.first then
		return nil, damaged('messages', 'number differs from the head')
	end
	local known = redis.pcall('ZCARD', ids)
	if type(known) == 'table' then return nil, damaged('ids', 'not a sorted set') end
	if known < s.length then return nil, damaged('ids', 'fewer than messages') end
	return s
end

-- expiry returns the expiry of the session after a write with a TTL in ms.
local function expiry(s, ttl)
	if ttl > 0 then return now + ttl end
	if ttl < 0 then return 0 end
	return s.expires
end

-- needs_index reports whether a write must update the index. It need not if the index has
-- the session with an expiry and a due time that are not later than the actual ones.
local function needs_index(s, expires)
	return s.created or expires > 0 and (s.indexed == 0 or expires < s.indexed)
		or s.due ~= 0 and (s.listed == 0 or s.due < s.listed)
end

-- guard returns a reply that rejects the write if it must update the index and the session
-- has no mark, or its mark has ended.
local function guard(s, expires)
	if not needs_index(s, expires) then return end
	if pending_until == 0 then return { 'index' } end
	if now > pending_until then return { 'late' } end
end

-- fresh returns those messages of ARGV (id, tokens, element), starting at index from, whose
-- ids are new or have a number below `known`, and whether all are fresh.
local function fresh(from, known)
	local added, seen, all = {}, {}, true
	for i = from, #ARGV, 3 do
		local id = ARGV[i]
		local number = known < math.huge and not seen[id] and redis.call('ZSCORE', ids, id)
		if seen[id] or number and tonumber(number) >= known then
			all = false
		else
			seen[id] = true
			added[#added + 1] = i
		end
	end
	return added, all
end

-- store writes the session and its new messages.
local function store(s, added, expires, content)
	local first_added = s.next
	for _, i in ipairs(added) do s.tokens = s.tokens + tonumber(ARGV[i + 1]) end
	s.next, s.expires = s.next + #added, expires
	local reply = { 'ok', tostring(#added), text(s.revision), text(s.first), text(s.next),
		text(s.tokens), s.window, text(s.updated), text(s.expires), text(s.due) }
	if pending_until > 0 then s.indexed, s.listed = expires, s.due end
	local hash = { 'tokens', text(s.tokens), 'window', s.window, 'due', text(s.due), 'listed', text(s.listed) }
	for _, field in ipairs(fields) do
		hash[#hash + 1] = field
		hash[#hash + 1] = text(s[field])
	end
	if content then
		hash[#hash + 1] = 'head'
		hash[#hash + 1] = content
	end
	if s.created then redis.call('UNLINK', unpack(kept)) end
	redis.call('HSET', head, unpack(hash))
	for n, i in ipairs(added) do
		redis.call('RPUSH', messages, ARGV[i + 2])
		redis.call('ZADD', ids, text(first_added + n - 1), ARGV[i])
	end
	for _, key in ipairs({ head, unpack(kept) }) do
		if expires > 0 then
			redis.call('PEXPIREAT', key, text(expires))
		else
			redis.call('PERSIST', key)
		end
	end
	remember(reply)
	return reply
end
