-- Ends a claim, other than as done.lua does. KEYS: bucket, due, held, dead.
-- ARGV: 1 now, 2 member, 3 token, or * for whoever has it, 4 what became of it, and then
--   'retry', after so many ms, attempts or '', reached
--   'next', when, pieces…
--   'dead', why, keep in ms, how many to keep, what the keys of buckets in
--           this shard begin with
-- Returns 1, or 0 when it is not ours.
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local bucket, due, held, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local member, fate = ARGV[2], ARGV[4]
local s = state(held, member)
if not s or s.reason ~= '' or ARGV[3] ~= '*' and s.token ~= ARGV[3] then return 0 end
if redis.call('HEXISTS', bucket, member) == 0 then return 0 end
s.token = '-'

if fate == 'retry' then
  if ARGV[6] ~= '' then s.attempts, s.reached = tonumber(ARGV[6]), ARGV[7] end
  redis.call('ZADD', due, int(t + ARGV[5]), member)
elseif fate == 'next' then
  s.attempts, s.reached = 0, '0'
  fill(bucket, member, 6)
  redis.call('ZADD', due, ARGV[5], member)
else
  s.reason = ARGV[5]
  redis.call('ZREM', due, member)
  redis.call('ZADD', dead, int(t), member) -- and it stays in its room, which may come back
end
hold(held, member, s)

if fate == 'dead' then -- and make room for it
  local old = redis.call('ZRANGEBYSCORE', dead, '-inf', int(t - ARGV[6]), 'LIMIT', 0, 100)
  if #old == 0 and redis.call('ZCARD', dead) > tonumber(ARGV[7]) then old = redis.call('ZRANGE', dead, 0, 0) end
  for _, m in ipairs(old) do
    drop(bucketOf(ARGV[8], m), m)
    redis.call('HDEL', held, m)
    redis.call('ZREM', dead, m)
  end
end
return 1
