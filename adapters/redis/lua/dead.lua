-- Returns dead letters, the latest first, as {reminder, attempts, reason, ms,
-- …}. KEYS: dead, held. ARGV: 1 now, 2 how many, 3 keep in ms, 4 what the keys
-- of buckets in this shard begin with
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local list = {}
local found = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', '(' .. int(t - ARGV[3]), 'WITHSCORES', 'LIMIT', 0, ARGV[2])
for i = 1, #found, 2 do
  local text, s = whole(bucketOf(ARGV[4], found[i]), found[i]), state(KEYS[2], found[i])
  if text and s then
    for _, x in ipairs({text, int(s.attempts), s.reason, found[i + 1]}) do list[#list + 1] = x end
  end
end
return list
