-- token adds or removes a token. KEYS: the tokens, and the mark of this call. ARGV: id, and
-- what is kept of it; '' removes it. It returns 1 if it did so, 0 if the id is there, or is
-- not. A call that the client sends again, as its answer was lost, is known by its mark.
if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end
local done
if ARGV[2] == '' then
	done = redis.call('HDEL', KEYS[1], ARGV[1])
else
	done = redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
end
-- Behind the change: this is allowed when the memory is full, as something was written.
if done == 1 then redis.call('SET', KEYS[2], '', 'PX', 60000) end
return done
