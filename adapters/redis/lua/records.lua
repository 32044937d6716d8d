-- Returns the records of an owner that have not expired, as
-- {name, version, until, by, data, …}; version '' of one that is not ours. KEYS[1] all records of the owner.
-- ARGV: 1 now, 2 name ('' is a name) or nothing for all
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local found
if ARGV[2] then
  found = {ARGV[2], redis.call('HGET', KEYS[1], ARGV[2])}
  if not found[2] then return {} end
else
  found = redis.call('HGETALL', KEYS[1])
end
local live = {}
for i = 1, #found, 2 do
  local v, till, by, data = parse(found[i + 1])
  if not v then
    for _, x in ipairs({found[i], '', '', '', ''}) do live[#live + 1] = x end
  elseif till == 0 or t < till then
    for _, x in ipairs({found[i], int(v), int(till), by, data}) do live[#live + 1] = x end
  end
end
return live
