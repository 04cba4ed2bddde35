-- stage keeps chunks of a result that is being put, for as long as a call may take. KEYS: head,
-- upload, in one slot. ARGV: the number of the first chunk, chunks. The reply is 'missing' if
-- there is no session.
local head, upload = KEYS[1], KEYS[2]
if redis.call('EXISTS', head) == 0 then return { 'missing' } end
local first = tonumber(ARGV[1])
for i = 2, #ARGV do
	redis.call('HSET', upload, string.format('%.0f', first + i - 2), ARGV[i])
end
redis.call('PEXPIRE', upload, 60000)
return { 'ok' }
