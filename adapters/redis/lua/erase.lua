-- Removes all reminders of a person. KEYS: bucket, due, dead, held, rooms…
-- ARGV: 1 person, 2… what the fields of those rooms begin with. Fields that
-- stay behind in a room that is not named here go when the room is next listed.
local n = 0
for _, member in ipairs(members(KEYS[1], ARGV[1])) do
  drop(KEYS[1], member)
  redis.call('ZREM', KEYS[2], member)
  redis.call('ZREM', KEYS[3], member)
  redis.call('HDEL', KEYS[4], member)
  for i = 5, #KEYS do redis.call('HDEL', KEYS[i], ARGV[i - 3] .. member) end
  n = n + 1
end
return n
