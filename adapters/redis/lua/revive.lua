-- Lets a dead letter wait again. KEYS: bucket, due, held, dead.
-- ARGV: 1 member, 2 the reason that it died of, 3 due, 4… pieces
-- Returns 1, or 0 when it did not die of that.
local s = state(KEYS[3], ARGV[1])
if not s or s.reason ~= ARGV[2] or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
fill(KEYS[1], ARGV[1], 4)
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return 1
