-- stamp gives the pending entry of each session a new stamp and returns the stamps. A state
-- that is read later is written to the index only if the stamp is still the same. ARGV: keys.
free()
local stamps = {}
for i, key in ipairs(ARGV) do
	local e = entry_of(key) or { open = {} }
	put(key, e, false)
	stamps[i] = e.stamp
end
return stamps
