-- Ends a claim. KEYS: bucket, due, room, held, dead.
-- ARGV: 1 now, 2 member, 3 field in the room, 4 token, or * for whoever has
--       it, 5 what became of it, and then
--   'done'
--   'retry', after so many ms, attempts or '', reached
--   'next', when, pieces…
--   'dead', why, keep in ms, how many to keep, what the keys of buckets in
--           this shard begin with
-- Returns 1, or 0 when it is not ours.
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local bucket, due, room, held, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local member, fate = ARGV[2], ARGV[5]
local s = state(held, member)
if not s or s.reason ~= '' or ARGV[4] ~= '*' and s.token ~= ARGV[4] then return 0 end
if redis.call('HEXISTS', bucket, member) == 0 then return 0 end
s.token = '-'

if fate == 'done' then
  drop(bucket, member)
  redis.call('ZREM', due, member)
  redis.call('HDEL', room, ARGV[3])
  redis.call('HDEL', held, member)
  return 1
end

if fate == 'retry' then
  if ARGV[7] ~= '' then s.attempts, s.reached = tonumber(ARGV[7]), ARGV[8] end
  redis.call('ZADD', due, int(t + ARGV[6]), member)
elseif fate == 'next' then
  s.attempts, s.reached = 0, '0'
  fill(bucket, member, 7)
  redis.call('ZADD', due, ARGV[6], member)
else
  s.reason = ARGV[6]
  redis.call('ZREM', due, member)
  redis.call('ZADD', dead, int(t), member) -- and it stays in its room, which may come back
end
hold(held, member, s)

if fate == 'dead' then -- and make room for it
  local old = redis.call('ZRANGEBYSCORE', dead, '-inf', int(t - ARGV[7]), 'LIMIT', 0, 100)
  if #old == 0 and redis.call('ZCARD', dead) > tonumber(ARGV[8]) then old = redis.call('ZRANGE', dead, 0, 0) end
  for _, m in ipairs(old) do
    drop(bucketOf(ARGV[9], m), m)
    redis.call('HDEL', held, m)
    redis.call('ZREM', dead, m)
  end
end
return 1
