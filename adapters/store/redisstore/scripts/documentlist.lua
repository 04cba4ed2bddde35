-- documentlist returns the first documents between two keys. ARGV: the bounds as in
-- ZRANGEBYLEX, limit.
return reply_of(redis.call('ZRANGEBYLEX', names, ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3]))
