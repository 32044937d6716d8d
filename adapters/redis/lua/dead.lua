-- Returns dead letters, the latest first, as {reminder, attempts, reason, ms,
-- …}. KEYS[1] dead. ARGV: 1 now, 2 how many, 3 keep in ms, 4 what the keys of
-- persons in this shard begin with
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local list = {}
local found = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', '(' .. int(t - ARGV[3]), 'WITHSCORES', 'LIMIT', 0, ARGV[2])
for i = 1, #found, 2 do
  local mark, who = split(found[i])
  local s = get(ARGV[4] .. who, mark)
  if s then
    for _, x in ipairs({pieces(ARGV[4] .. who, mark, s), int(s.attempts), s.reason, found[i + 1]}) do list[#list + 1] = x end
  end
end
return list
