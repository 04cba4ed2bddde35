-- ARGV: token, end of the mark, format, TTL in ms, window, updated, revision of a new
-- session, head, required revision and next number, number before which messages are
-- dropped, due time ('' to keep it), messages.
local format, ttl, window = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local revision, next_number = tonumber(ARGV[9]), tonumber(ARGV[10])
local s, problem = read()
if problem then return problem end
if s and s.format > format then return { 'format', text(s.format) } end

local matches
if s then
	matches = s.revision == revision and (next_number == 0 or s.next == next_number)
else
	matches = revision == 0
end
if not s or not matches then
	local reply = recall()
	if reply then return reply end
end
if not matches then return { 'conflict' } end
if s then
	s.revision = s.revision + 1
else
	s = { created = true, revision = tonumber(ARGV[7]), first = 1, next = 1,
		tokens = 0, window = '0', expires = 0, indexed = 0, due = 0, listed = 0 }
end
s.format = format

-- Dropped messages are read in parts, since together they may be large.
local dropped = math.max(0, math.min(tonumber(ARGV[11]), s.next) - s.first)
local tokens = 0
for from = 0, dropped - 1, 100 do
	for i, element in ipairs(redis.call('LRANGE', messages, from, math.min(from + 100, dropped) - 1)) do
		local count = string.match(element, '^(-?%d+) %d+ ')
		if not count then return damaged('message ' .. text(s.first + from + i - 1), 'malformed') end
		tokens = tokens + tonumber(count)
	end
end

if ARGV[12] ~= '' then s.due = tonumber(ARGV[12]) end
local added = fresh(13, s.created and math.huge or s.first + dropped)
local expires = expiry(s, ttl)
local refused = guard(s, expires)
if refused then return refused end
if dropped > 0 then
	s.first, s.tokens = s.first + dropped, s.tokens - tokens
	redis.call('LTRIM', messages, dropped, -1)
	redis.call('ZREMRANGEBYSCORE', ids, '-inf', '(' .. text(s.first - remembered_ids))
end
if tonumber(window) > 0 then s.window = window end
s.updated = tonumber(ARGV[6])
return store(s, added, expires, ARGV[8])
