-- Gives reminders that are due to the caller. KEYS[1] due. ARGV: 1 now,
-- 2 how many, 3 lease in ms, 4 token, 5 what the keys of persons in this shard
-- begin with
-- Returns {now, when the next is due or '', reminder, attempts, reached, …}.
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local got = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', int(t), 'LIMIT', 0, ARGV[2])) do
  local mark, who = split(member)
  local person = ARGV[5] .. who
  local s = get(person, mark)
  if not s or s.reason ~= '' then
    redis.call('ZREM', KEYS[1], member) -- its record is gone: nothing to send
  else
    s.attempts, s.token = s.attempts + 1, ARGV[4]
    set(person, mark, s)
    redis.call('ZADD', KEYS[1], int(t + ARGV[3]), member)
    for _, x in ipairs({pieces(person, mark, s), int(s.attempts), s.reached}) do got[#got + 1] = x end
  end
end
local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local answer = {int(t), head[2] or ''}
for _, x in ipairs(got) do answer[#answer + 1] = x end
return answer
