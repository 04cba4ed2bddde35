-- mark marks a session that is about to be changed. ARGV: key, 1 if the change deletes the
-- session. It returns the stamp of the mark and the time until which the change is allowed.
if ARGV[2] == '1' then free() end
local e = entry_of(ARGV[1]) or { open = {} }
put(ARGV[1], e, true)
return { e.stamp, text(now + fence_ms) }
