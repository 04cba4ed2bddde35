-- token adds or removes a token. KEYS: the tokens, the mark of this call. ARGV: id, value ('' to
-- remove the token). It returns 1 on success, and 0 if the id exists already or, for a
-- removal, does not exist. A call that the client resends is recognized by its mark.
if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end
local done
if ARGV[2] == '' then
	done = redis.call('HDEL', KEYS[1], ARGV[1])
else
	done = redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
end
-- After the change, since a full server allows this only as a later write.
if done == 1 then redis.call('SET', KEYS[2], '', 'PX', 60000) end
return done
