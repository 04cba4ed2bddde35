-- due reads which sessions may be due. ARGV: a time in ms, how many to return. It
-- returns 'ok', and behind it what is to be looked at: 'pending', key and stamp of the
-- sessions that are marked, 'due', key and score of the first ones that the index
-- takes to be due.
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
