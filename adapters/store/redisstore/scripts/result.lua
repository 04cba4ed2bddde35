-- result adds a result, whose chunks are staged, to a session and removes the oldest beyond the
-- limits. KEYS: head, results, contents, upload, in one slot. ARGV: id, meta, time in ms, size,
-- number of chunks, maximum number of results, maximum sum of sizes. The reply is 'missing' if
-- there is no session, and 'lost' if chunks are missing. Sent again, it changes nothing.
local head, results, contents, upload = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, size, chunks = ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[5])

local function text(number) return string.format('%.0f', number) end

local expires = redis.pcall('HGET', head, 'expires')
if type(expires) == 'table' then return { 'damaged', 'head', 'not a hash' } end
if not expires then
	if redis.call('EXISTS', head) == 0 then
		redis.call('UNLINK', upload)
		return { 'missing' }
	end
	return { 'damaged', 'head', 'missing fields' }
end
if not string.find(expires, '^%d+$') then return { 'damaged', 'head', 'expires is not a number' } end
local there = redis.pcall('HEXISTS', results, id)
if type(there) == 'table' or type(redis.pcall('HLEN', contents)) == 'table' then
	return { 'damaged', 'results', 'not a hash' }
end
if there == 1 then
	redis.call('UNLINK', upload)
	return { 'ok' }
end
if redis.call('HLEN', upload) ~= chunks then return { 'lost' } end

-- The field '' has the number of the next result and the sum of their sizes.
local next_number, sum = string.match(redis.call('HGET', results, '') or '1 0', '^(%d+) (%d+)$')
if not next_number then return { 'damaged', 'results', 'malformed numbers' } end
next_number, sum = tonumber(next_number), tonumber(sum) + size
local count = math.max(redis.call('HLEN', results), 1)

-- trim removes the oldest results, so that with the new one the limits are kept.
local function trim(most, limit)
	local all, values = {}, redis.call('HGETALL', results)
	sum = size
	for i = 1, #values, 2 do
		local number, bytes = string.match(values[i + 1], '^(%d+) (%d+) ')
		if number then
			all[#all + 1] = { id = values[i], number = tonumber(number), size = tonumber(bytes) }
			sum = sum + bytes
		end
	end
	table.sort(all, function(a, b) return a.number < b.number end)
	for i, old in ipairs(all) do
		if sum <= limit and #all - i + 2 <= most then return end
		sum = sum - old.size
		redis.call('HDEL', results, old.id)
		redis.call('HDEL', contents, 'size ' .. old.id)
		for n = 0, math.min(math.ceil(old.size / 65536), 1024) - 1 do -- MaxResultBytes
			redis.call('HDEL', contents, text(n) .. ' ' .. old.id)
		end
	end
end
if count > tonumber(ARGV[6]) or sum > tonumber(ARGV[7]) then trim(tonumber(ARGV[6]), tonumber(ARGV[7])) end

for n = 0, chunks - 1 do
	redis.call('HSET', contents, text(n) .. ' ' .. id, redis.call('HGET', upload, text(n)))
end
redis.call('HSET', contents, 'size ' .. id, text(size))
redis.call('HSET', results, id, text(next_number) .. ' ' .. text(size) .. ' ' .. ARGV[3] .. ' ' .. ARGV[2])
redis.call('HSET', results, '', text(next_number + 1) .. ' ' .. text(sum))
for _, key in ipairs({ results, contents }) do
	if expires ~= '0' then
		redis.call('PEXPIREAT', key, expires)
	else
		redis.call('PERSIST', key)
	end
end
redis.call('UNLINK', upload)
return { 'ok' }
