-- due returns the sessions that may be due. ARGV: time in ms, limit. The reply is 'ok'
-- followed by the entries to check: 'pending', key and stamp of each marked session; 'due',
-- key and score of the first ones that are due according to the index.
local reply = { 'ok' }
local entries = redis.call('HGETALL', pending)
for i = 1, #entries, 2 do
	reply[#reply + 1] = 'pending'
	reply[#reply + 1] = entries[i]
	reply[#reply + 1] = entry_of(entries[i], entries[i + 1]).stamp
end
local first = redis.call('ZRANGEBYSCORE', due_set, '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, ARGV[2])
for i = 1, #first, 2 do
	reply[#reply + 1] = 'due'
	reply[#reply + 1] = first[i]
	reply[#reply + 1] = first[i + 1]
end
return reply
