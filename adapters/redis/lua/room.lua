-- Returns the reminders in a room, as far as they lie in this shard.
-- KEYS[1] room. ARGV[1] what the keys of persons in this shard begin with
local list = {}
for _, member in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local mark, who = split(member)
  local person = ARGV[1] .. who
  local s = get(person, mark)
  if s and s.reason == '' then
    list[#list + 1] = pieces(person, mark, s)
  else
    redis.call('SREM', KEYS[1], member) -- forgotten
  end
end
return list
