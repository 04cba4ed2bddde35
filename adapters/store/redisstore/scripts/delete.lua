-- ARGV: token, end of the mark, 1 if there is a condition, required revision and next
-- number.
local reply = recall()
if reply then return reply end
if now > pending_until then return { 'late' } end
if ARGV[3] == '1' then
	if redis.call('EXISTS', head) == 0 then return { 'conflict' } end
	local values = redis.pcall('HMGET', head, 'revision', 'next')
	if values.err then return damaged('head', 'not a hash') end
	if not is_number(values[1]) or not is_number(values[2]) then
		return damaged('head', 'malformed numbers')
	end
	local next_number = tonumber(ARGV[5])
	if tonumber(values[1]) ~= tonumber(ARGV[4]) or next_number > 0 and tonumber(values[2]) ~= next_number then
		return { 'conflict' }
	end
end
-- The first write must be one that a full server allows.
redis.call('UNLINK', head, unpack(kept))
remember({ 'ok' })
return { 'ok' }
