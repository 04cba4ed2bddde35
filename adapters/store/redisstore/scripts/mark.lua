-- mark says that a session is about to be changed. ARGV: its key, 1 if the change is
-- a removal. It returns the mark's stamp and the time until which the change may be made.
if ARGV[2] == '1' then free() end
local e = entry_of(ARGV[1]) or { open = {} }
put(ARGV[1], e, true)
return { e.stamp, text(now + fence_ms) }
