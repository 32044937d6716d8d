-- Removes a reminder that waits, claimed or not. KEYS: person, due, room.
-- ARGV: 1 mark, 2 member. Returns 1 when it was there.
local s = get(KEYS[1], ARGV[1])
if not s or s.reason ~= '' then return 0 end
drop(KEYS[1], ARGV[1], s)
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('SREM', KEYS[3], ARGV[2])
return 1
