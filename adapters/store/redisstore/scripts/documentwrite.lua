-- documentwrite applies changes, all or none. KEYS[4] is the mark of this call, by which a call that
-- the client resends is recognized. ARGV has four values for each change: key, expected revision,
-- due time in ms ('' for none), and the document ('-' to remove it, '=' to leave it as it is). It
-- returns 1 on success, and 0 if a document does not have the expected revision.
if redis.call('EXISTS', KEYS[4]) == 1 then return 1 end
for i = 1, #ARGV, 4 do
	local document = redis.call('HGET', documents, ARGV[i])
	local revision = document and string.match(document, '^[^ ]*') or ''
	if revision ~= ARGV[i + 1] then return 0 end
end
for i = 1, #ARGV, 4 do
	local key, due, document = ARGV[i], ARGV[i + 2], ARGV[i + 3]
	if document == '-' then
		redis.call('HDEL', documents, key)
		redis.call('ZREM', names, key)
	elseif document ~= '=' then
		redis.call('HSET', documents, key, document)
		redis.call('ZADD', names, 0, key)
	end
	if due ~= '' then
		redis.call('ZADD', due_set, due, key)
	elseif document ~= '=' then
		redis.call('ZREM', due_set, key)
	end
end
-- After the changes, since a full server allows this only as a later write.
redis.call('SET', KEYS[4], '', 'PX', 60000)
return 1
