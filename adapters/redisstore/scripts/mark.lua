-- mark says that a session is about to be changed. ARGV: its key, 1 if the change is
-- a removal. It returns the stamp and the time until which the change may be made.
if ARGV[2] == '1' then
	-- A removal must be possible when the memory is full. Redis checks that before
	-- the first write of a script only, and allows this one, of a field never there.
	redis.call('HDEL', pending, '')
end
local e = entry_of(ARGV[1]) or { count = 0, since = now }
e.count, e.marked = e.count + 1, now
return { put(ARGV[1], e), text(now + fence_ms) }
