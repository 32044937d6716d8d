-- Ends a claim. KEYS: person, due, room, dead.
-- ARGV: 1 now, 2 mark, 3 member, 4 token, 5 what became of it, and then
--   'done'
--   'retry', after so many ms, attempts or '', reached
--   'next', when, pieces…
--   'dead', why, keep in ms, how many to keep, what the keys of persons in
--           this shard begin with
-- Returns 1, or 0 when it is not ours.
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local person, due, room, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local mark, member, fate = ARGV[2], ARGV[3], ARGV[5]
local s = get(person, mark)
if not s or s.reason ~= '' or s.token ~= ARGV[4] then return 0 end
s.token = '-'

if fate == 'done' then
  drop(person, mark, s)
  redis.call('ZREM', due, member)
  redis.call('SREM', room, member)
  return 1
end

if fate == 'retry' then
  if ARGV[7] ~= '' then s.attempts, s.reached = tonumber(ARGV[7]), ARGV[8] end
  redis.call('ZADD', due, int(t + ARGV[6]), member)
elseif fate == 'next' then
  s.attempts, s.reached = 0, '0'
  fill(person, mark, s, 7)
  redis.call('ZADD', due, ARGV[6], member)
else
  s.reason = ARGV[6]
  redis.call('ZREM', due, member)
  redis.call('SREM', room, member)
  redis.call('ZADD', dead, int(t), member)
end
set(person, mark, s)

if fate == 'dead' then -- and make room for it
  local old = redis.call('ZRANGEBYSCORE', dead, '-inf', int(t - ARGV[7]), 'LIMIT', 0, 100)
  if #old == 0 and redis.call('ZCARD', dead) > tonumber(ARGV[8]) then old = redis.call('ZRANGE', dead, 0, 0) end
  for _, m in ipairs(old) do
    local mark, who = split(m)
    local s = get(ARGV[9] .. who, mark)
    if s then drop(ARGV[9] .. who, mark, s) end
    redis.call('ZREM', dead, m)
  end
end
return 1
