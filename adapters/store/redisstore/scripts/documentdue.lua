-- documentdue returns the first documents that are due, in order of their due times and, since
-- members with one score are in order, of their keys. ARGV: time in ms, limit.
return reply_of(redis.call('ZRANGEBYSCORE', due_set, '-inf', ARGV[1], 'LIMIT', 0, ARGV[2]))
