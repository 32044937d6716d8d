-- Removes claimed reminders that were delivered. KEYS: due, held.
-- ARGV: 1 now, and for each reminder: member, field in the room, token, what
-- the keys of buckets and of rooms in this shard begin with
-- Returns for each 1, or 0 when it is not ours.
local answers, over = {}, {}
for i = 2, #ARGV, 5 do
  local member, s, ours = ARGV[i], state(KEYS[2], ARGV[i]), 0
  if s and s.reason == '' and s.token == ARGV[i + 2] and drop(bucketOf(ARGV[i + 3], member), member) then
    ours, over[#over + 1] = 1, member
    redis.call('HDEL', bucketOf(ARGV[i + 4], ARGV[i + 1]), ARGV[i + 1])
  end
  answers[#answers + 1] = ours
end
if #over > 0 then
  redis.call('ZREM', KEYS[1], unpack(over))
  redis.call('HDEL', KEYS[2], unpack(over))
end
return answers
