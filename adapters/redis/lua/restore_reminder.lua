-- Keeps a reminder as it was. KEYS: person, room, and due or dead.
-- ARGV: 1 mark, 2 member, 3 when it is due or died, 4 attempts, 5 reached,
--       6 reason, 7… pieces
local s = {attempts = tonumber(ARGV[4]), reached = ARGV[5], pieces = 0, token = '-', reason = ARGV[6]}
fill(KEYS[1], ARGV[1], s, 7)
set(KEYS[1], ARGV[1], s)
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[2])
if s.reason == '' then redis.call('SADD', KEYS[2], ARGV[2]) end
return 1
