-- Stores a finished turn: first the id, then the version, then the write.
-- KEYS[1] the conversation.
-- ARGV: 1 mark of the message, 2 version that was loaded, 3 state, 4 reply,
--       5 today, 6 life in ms, 7 marks to keep
-- Returns the version that is stored now, or {'conflict', version} or
-- {'done', version, reply or false}.
local key, mark = KEYS[1], ARGV[1]
local head = redis.call('HGET', key, 'h')
local version, day, marks = '0', '', ''
if head then
  version, day, marks = string.match(head, '^(%d+) (%d+) (.*)$')
  if not version then return redis.error_reply('FOREIGN') end
elseif redis.call('EXISTS', key) == 1 then
  return redis.error_reply('FOREIGN')
end

local at = string.find(marks, mark, 1, true)
while at and at % #mark ~= 1 do at = string.find(marks, mark, at + 1, true) end
if at then return {'done', version, redis.call('HGET', key, 'o:' .. mark)} end

if version ~= ARGV[2] then return {'conflict', version} end

version = string.format('%.0f', version + 1)
marks = string.sub(marks .. mark, -#mark * ARGV[7])
redis.call('HSET', key, 'h', version .. ' ' .. ARGV[5] .. ' ' .. marks, 's', ARGV[3], 'o:' .. mark, ARGV[4])
if day ~= ARGV[5] then redis.call('PEXPIRE', key, ARGV[6]) end
if version % ARGV[7] == 0 then -- replies that never arrived, to messages that nobody will repeat
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 2) == 'o:' and not string.find(marks, string.sub(field, 3), 1, true) then
      redis.call('HDEL', key, field)
    end
  end
end
return version
