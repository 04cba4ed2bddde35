-- settle says that a change was made. ARGV: the key, the stamp and the time that mark
-- returned, whether there is a session now, when it expires.
--
-- If another call has marked the session, or settled it, meanwhile, it is not known
-- whose state is the later one: then the state must be read anew, which the last one
-- does, for which a new stamp is returned. Behind that come sessions that seem to
-- have expired, and when, if they are many.
local key, stamp = ARGV[1], ARGV[2]
local reply = { '' }
local e = entry_of(key)
if e and e.stamp == stamp and e.count == 1 then
	apply(key, ARGV[4], ARGV[5])
	redis.call('HDEL', pending, key)
elseif e and now <= tonumber(ARGV[3]) then
	e.count = math.max(0, e.count - 1)
	stamp = put(key, e)
	if e.count == 0 then reply[1] = stamp end
end
if redis.call('ZCOUNT', expiring, '-inf', '(' .. text(now)) >= 64 then
	for _, value in ipairs(redis.call('ZRANGEBYSCORE', expiring, '-inf', '(' .. text(now), 'WITHSCORES', 'LIMIT', 0, 128)) do
		reply[#reply + 1] = value
	end
end
return reply
