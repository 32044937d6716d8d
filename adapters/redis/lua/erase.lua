-- Removes all reminders of a person. KEYS: person, due, dead, rooms…
-- ARGV[1] the person. Members that stay behind in a room that is not named
-- here go when the room is next listed.
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(field, -1) == ':' then
    local member = string.sub(field, 1, -2) .. ARGV[1]
    redis.call('ZREM', KEYS[2], member)
    redis.call('ZREM', KEYS[3], member)
    for i = 4, #KEYS do redis.call('SREM', KEYS[i], member) end
  end
end
return redis.call('DEL', KEYS[1])
