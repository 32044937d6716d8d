-- Stores a finished turn: first the id, then the version, then the write.
-- KEYS[1] the conversation.
-- ARGV: 1 mark of the message, 2 version that was loaded, 3 state, 4 reply,
--       5 today, 6 life in ms, 7 marks to keep
-- Returns {'done', version, reply or false}, {'conflict', version} or
-- {'stored', version}.
local key, mark = KEYS[1], ARGV[1]
local have = redis.call('HMGET', key, 'v', 'u', 'e')
local v, u = have[1], have[2]
if not v then
  if redis.call('EXISTS', key) == 1 then return redis.error_reply('FOREIGN') end
  v, u = '0', ''
elseif not u or not tonumber(v) then
  return redis.error_reply('FOREIGN')
end

local width = #mark
local at = string.find(u, mark, 1, true)
while at and at % width ~= 1 do at = string.find(u, mark, at + 1, true) end
if at then return {'done', v, redis.call('HGET', key, 'o:' .. mark)} end

if v ~= ARGV[2] then return {'conflict', v} end

v = string.format('%.0f', v + 1)
u = string.sub(u .. mark, -width * ARGV[7])
redis.call('HSET', key, 'v', v, 's', ARGV[3], 'u', u, 'e', ARGV[5], 'o:' .. mark, ARGV[4])
if have[3] ~= ARGV[5] then redis.call('PEXPIRE', key, ARGV[6]) end
if v % ARGV[7] == 0 then -- replies that never arrived, to messages that nobody will repeat
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 2) == 'o:' and not string.find(u, string.sub(field, 3), 1, true) then
      redis.call('HDEL', key, field)
    end
  end
end
return {'stored', v}
