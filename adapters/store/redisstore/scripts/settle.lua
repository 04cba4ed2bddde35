-- settle updates the index after a change. ARGV: key, stamp of the mark, whether the session
-- exists, its expiry, its due time.
--
-- If another call has marked or settled the session since, it is unknown whose state is the
-- later one. Then the last of the calls must read the state again, for which it gets a new
-- stamp. The same applies if the mark is gone, because settle was sent twice or too late.
-- After the stamp, the reply has sessions that seem to have expired, and their expiry, if
-- there are many.
local key, stamp = ARGV[1], ARGV[2]
local reply = { '' }
local e = entry_of(key) or { open = {} }
if e.stamp == stamp and #e.open == 1 then
	apply(key, ARGV[3], ARGV[4], ARGV[5])
	redis.call('HDEL', pending, key)
else
	for i = #e.open, 1, -1 do
		if string.match(e.open[i], '^%d+') == stamp then table.remove(e.open, i) end
	end
	put(key, e, false)
	if #e.open == 0 then reply[1] = e.stamp end
end
if redis.call('ZCOUNT', expiring, '-inf', '(' .. text(now)) >= 64 then
	for _, value in ipairs(redis.call('ZRANGEBYSCORE', expiring, '-inf', '(' .. text(now), 'WITHSCORES', 'LIMIT', 0, 128)) do
		reply[#reply + 1] = value
	end
end
return reply
