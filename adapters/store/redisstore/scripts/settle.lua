-- settle says that a change was made. ARGV: the key, the stamp of its mark, whether
-- there is a session now, when it expires, when it is due.
--
-- If another call has marked the session, or settled it, meanwhile, it is not known
-- whose state is the later one: then the state must be read anew, which the last one
-- does, for which a new stamp is returned. So it is if the mark is gone: this was sent
-- twice, or took too long. Behind that come sessions that seem to have expired, and
-- when, if they are many.
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
