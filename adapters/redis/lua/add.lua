-- Keeps a reminder. KEYS: bucket, due, room, held.
-- ARGV: 1 member, 2 field in the room, 3 due, 4 how many may wait, 5… pieces
-- Returns 'kept' when it is there already, 'many' or 'added'.
redis.call('ZCARD', KEYS[2]) -- fails before anything is written
redis.call('HLEN', KEYS[3])
redis.call('HLEN', KEYS[4])
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 'kept' end
local waiting = 0
for _, member in ipairs(members(KEYS[1], string.sub(ARGV[1], 1, 8))) do
  local s = state(KEYS[4], member)
  if not s then return redis.error_reply('FOREIGN') end
  if s.reason == '' then waiting = waiting + 1 end
end
if waiting >= tonumber(ARGV[4]) then return 'many' end
fill(KEYS[1], ARGV[1], 5)
redis.call('HDEL', KEYS[4], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[2], '')
return 'added'
