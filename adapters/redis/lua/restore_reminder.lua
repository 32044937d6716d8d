-- Keeps a reminder as it was. KEYS: bucket, room, held, due or dead; and, to
-- move it, where it lay in layout 1: its person and due or dead.
-- ARGV: 1 member, 2 field in the room, 3 when it is due or died, 4 attempts,
--       5 reached, 6 reason, 7 its mark and 8 its member in layout 1 or '',
--       9… pieces
-- Returns 0 when it is not in layout 1 any more.
if ARGV[7] ~= '' then
  local old = redis.call('HGET', KEYS[5], ARGV[7] .. ':')
  if not old then return 0 end
  for i = 0, tonumber(string.match(old, '^%d+ %d (%d+) ')) - 1 do redis.call('HDEL', KEYS[5], ARGV[7] .. i) end
  redis.call('HDEL', KEYS[5], ARGV[7] .. ':')
  redis.call('ZREM', KEYS[6], ARGV[8])
end
fill(KEYS[1], ARGV[1], 9)
hold(KEYS[3], ARGV[1], {attempts = tonumber(ARGV[4]), reached = ARGV[5], token = '-', reason = ARGV[6]})
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[2], '')
return 1
