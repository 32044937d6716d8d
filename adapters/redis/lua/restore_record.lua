-- Keeps a record as it was. KEYS[1] all records of the owner.
-- ARGV: 1 now, 2 name, 3 until, 4 the record as it is stored
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local lives = redis.call('PTTL', KEYS[1])
redis.call('HSET', KEYS[1], ARGV[2], ARGV[4])
extend(KEYS[1], lives, ARGV[3], t)
return 1
