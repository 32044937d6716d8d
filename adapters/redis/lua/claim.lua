-- Gives reminders that are due to the caller. KEYS: due, held. ARGV: 1 now,
-- 2 how many, 3 lease in ms, 4 token, 5 what the keys of buckets in this shard
-- begin with
-- Returns {now, when the next is due or '', reminder, attempts, reached, …}.
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local ends, got = int(t + ARGV[3]), {int(t), ''}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', int(t), 'LIMIT', 0, ARGV[2])) do
  local text, s = whole(bucketOf(ARGV[5], member), member), state(KEYS[2], member)
  if not text or s and s.reason ~= '' then
    redis.call('ZREM', KEYS[1], member) -- its record is gone: nothing to send
    if not text then redis.call('HDEL', KEYS[2], member) end
  else
    s = s or {attempts = 0, reached = '1'} -- broken: better a repeat than a loss
    s.attempts, s.token, s.reason = s.attempts + 1, ARGV[4], ''
    hold(KEYS[2], member, s)
    redis.call('ZADD', KEYS[1], ends, member)
    local n = #got
    got[n + 1], got[n + 2], got[n + 3] = text, int(s.attempts), s.reached
  end
end
got[2] = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or ''
return got
