-- Removes a reminder that waits, claimed or not. KEYS: bucket, due, room, held.
-- ARGV: 1 member, 2 field in the room. Returns 1 when it was there.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
local s = state(KEYS[4], ARGV[1])
if s and s.reason ~= '' then return 0 end
drop(KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[2])
redis.call('HDEL', KEYS[4], ARGV[1])
return 1
