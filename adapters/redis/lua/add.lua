-- Keeps a reminder. KEYS: person, due, room.
-- ARGV: 1 mark, 2 member, 3 due, 4 how many may wait, 5… pieces
-- Returns 'kept' when it is there already, 'many' or 'added'.
redis.call('ZCARD', KEYS[2]) -- fails before anything is written
redis.call('SCARD', KEYS[3])
if redis.call('HEXISTS', KEYS[1], ARGV[1] .. ':') == 1 then return 'kept' end
local waiting, all = 0, redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if string.sub(all[i], -1) == ':' then
    local s = parse(all[i + 1])
    if not s then return redis.error_reply('FOREIGN') end
    if s.reason == '' then waiting = waiting + 1 end
  end
end
if waiting >= tonumber(ARGV[4]) then return 'many' end
local s = {attempts = 0, reached = '0', pieces = 0, token = '-', reason = ''}
fill(KEYS[1], ARGV[1], s, 5)
set(KEYS[1], ARGV[1], s)
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
redis.call('SADD', KEYS[3], ARGV[2])
return 'added'
