-- Gives reminders that are due to the caller. KEYS: due, held. ARGV: 1 now,
-- 2 how many, 3 lease in ms, 4 token, 5 what the keys of buckets in this shard
-- begin with
-- Returns {now, when the next is due or '', reminder, attempts, reached, …}.
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local ends, got, moved, held = int(t + ARGV[3]), {int(t), ''}, {}, {}
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', int(t), 'LIMIT', 0, ARGV[2])
local states = #found > 0 and redis.call('HMGET', KEYS[2], unpack(found))
for i, member in ipairs(found) do
  local text, s = whole(bucketOf(ARGV[5], member), member), read(states[i])
  if not text or s and s.reason ~= '' then
    redis.call('ZREM', KEYS[1], member) -- its record is gone: nothing to send
    if not text then redis.call('HDEL', KEYS[2], member) end
  else
    s = s or {attempts = 0, reached = '1'} -- broken: better a repeat than a loss
    s.attempts, s.token, s.reason = s.attempts + 1, ARGV[4], ''
    local n = #moved
    moved[n + 1], moved[n + 2], held[n + 1], held[n + 2] = ends, member, member, write(s)
    n = #got
    got[n + 1], got[n + 2], got[n + 3] = text, int(s.attempts), s.reached
  end
end
if #moved > 0 then
  redis.call('ZADD', KEYS[1], unpack(moved))
  redis.call('HSET', KEYS[2], unpack(held))
end
got[2] = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or ''
return got
