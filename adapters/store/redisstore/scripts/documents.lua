-- Shared by the scripts on documents. KEYS, all in one slot: a hash of the documents, a sorted set
-- of their keys in order, a sorted set of their due times in ms. A document is its revision, a
-- space, its due time ('' for none), a space, and its value.
local documents, names, due_set = KEYS[1], KEYS[2], KEYS[3]

-- reply_of returns keys, each followed by its document.
local function reply_of(keys)
	local reply = {}
	for _, key in ipairs(keys) do
		reply[#reply + 1] = key
		reply[#reply + 1] = redis.call('HGET', documents, key) or ''
	end
	return reply
end
