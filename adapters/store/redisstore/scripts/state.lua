-- state returns whether a session exists, its expiry in ms (0 for none), and its due time (0
-- for none, '?' if unreadable), and notes them in the head as those in the index. KEYS: head.
local head = KEYS[1]
local left = redis.call('PTTL', head)
if left == -2 then return { '0', '0', '0' } end
local expires = '0'
if left >= 0 then
	local time = redis.call('TIME')
	expires = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + left)
end
local due = '?'
local indexed = redis.pcall('HMGET', head, 'expires', 'indexed', 'due', 'listed')
if not indexed.err and indexed[1] then
	-- The exact time; the remaining time is rounded.
	if string.find(indexed[1], '^%d+$') and left >= 0 then expires = indexed[1] end
	if not indexed[3] then
		due = '0'
	elseif string.find(indexed[3], '^%-?%d+$') then
		due = indexed[3]
	end
	local listed = due ~= '?' and due or indexed[4] or '0'
	if indexed[2] ~= expires or (indexed[4] or '0') ~= listed then
		-- A full server allows this write and then the following one: see index.lua.
		redis.call('HDEL', head, '')
		redis.call('HSET', head, 'indexed', expires, 'listed', listed)
	end
end
return { '1', expires, due }
