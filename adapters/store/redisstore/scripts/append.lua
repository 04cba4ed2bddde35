-- ARGV: token, end of the mark, format, TTL in ms, window, updated, revision and head of a
-- new session, due time, messages.
local format, ttl, window = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local s, problem = read()
if problem then return problem end
if s and s.format > format then return { 'format', text(s.format) } end

local content
if not s then
	s = { created = true, format = format, revision = tonumber(ARGV[7]), first = 1, next = 1,
		tokens = 0, window = '0', expires = 0, indexed = 0, due = 0, listed = 0 }
	content = ARGV[8]
end
local due = s.due == 0 and tonumber(ARGV[9]) or s.due
local added, all = fresh(10, s.created and math.huge or s.first - remembered_ids)
if s.created or not all or due ~= s.due then
	local reply = recall()
	if reply then return reply end
end
s.due = due
local expires = expiry(s, ttl)
local refused = guard(s, expires)
if refused then return refused end
if tonumber(window) > 0 then s.window = window end
s.updated = tonumber(ARGV[6])
return store(s, added, expires, content)
