-- Returns the reminders in a room, as far as they lie in this shard.
-- KEYS: room, held. ARGV: 1 what the room's fields begin with, 2 what the keys
-- of buckets in this shard begin with, 3 the reason that they died of, empty
-- for those that wait
local list = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(field, 1, 8) == ARGV[1] then
    local member = string.sub(field, 9)
    local text, s = whole(bucketOf(ARGV[2], member), member), state(KEYS[2], member)
    if not text then
      redis.call('HDEL', KEYS[1], field) -- forgotten
    elseif s and s.reason == ARGV[3] then
      list[#list + 1] = text
    end
  end
end
return list
