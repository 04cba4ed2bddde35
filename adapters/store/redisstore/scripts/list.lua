-- list reads a range of the index once the index is correct. ARGV: the begin of the list
-- ('' at first), the number of the key to read, the ends of the range, offset and count,
-- then the findings: 'pending' or 'expiring', key, its stamp or score, whether the session
-- exists, its expiry, its due time.
--
-- The reply is 'check', the begin, and the entries to check (kind, key, stamp, as above), or
-- 'ok', the total and the members. The begin is the last stamp and the time. Later changes
-- and expiries are ignored.
local begin = ARGV[1] ~= '' and ARGV[1] or (redis.call('GET', counter) or '0') .. ' ' .. text(now)
local last_stamp, moment = string.match(begin, '^(%d+) (%d+)$')
local settled = {}
if #ARGV > 6 then free() end
for i = 7, #ARGV, 6 do
	local kind, key, stamp = ARGV[i], ARGV[i + 1], ARGV[i + 2]
	local live, expires, due = ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
	if kind == 'expiring' then
		if redis.call('ZSCORE', expiring, key) == stamp then apply(key, live, expires, due) end
	else
		local e = entry_of(key)
		if e and e.stamp == stamp then
			apply(key, live, expires, due)
			settled[key] = true
			if #e.open == 0 then redis.call('HDEL', pending, key) end
		end
	end
end

local limit = 3 * 500
local reply = { 'check', begin }
local entries = redis.call('HGETALL', pending)
for i = 1, #entries, 2 do
	local key, e = entries[i], entry_of(entries[i], entries[i + 1])
	if not settled[key] and e.since <= tonumber(last_stamp) and #reply < limit then
		reply[#reply + 1] = 'pending'
		reply[#reply + 1] = key
		reply[#reply + 1] = e.stamp
	end
end
local expired = redis.call('ZRANGEBYSCORE', expiring, '-inf', '(' .. moment, 'WITHSCORES', 'LIMIT', 0, 500)
for i = 1, #expired, 2 do
	reply[#reply + 1] = 'expiring'
	reply[#reply + 1] = expired[i]
	reply[#reply + 1] = expired[i + 1]
end
if #reply > 2 then return reply end

local range = KEYS[tonumber(ARGV[2])]
reply = { 'ok', tostring(redis.call('ZLEXCOUNT', range, ARGV[3], ARGV[4])) }
if ARGV[6] ~= '0' then
	for _, member in ipairs(redis.call('ZRANGEBYLEX', range, ARGV[3], ARGV[4], 'LIMIT', ARGV[5], ARGV[6])) do
		reply[#reply + 1] = member
	end
end
return reply
