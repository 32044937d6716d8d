-- Notes that a claimed reminder is about to be sent. KEYS: due, held.
-- ARGV: 1 now, 2 member, 3 token, 4 how long it must still be ours
-- Returns 1, or 0 when it is not ours for that long.
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local s = state(KEYS[2], ARGV[2])
if not s or s.reason ~= '' or s.token ~= ARGV[3] then return 0 end
local ends = redis.call('ZSCORE', KEYS[1], ARGV[2])
if not ends or t + ARGV[4] > tonumber(ends) then return 0 end
s.reached = '1'
hold(KEYS[2], ARGV[2], s)
return 1
