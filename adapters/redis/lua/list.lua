-- Returns the reminders of a person. KEYS: bucket, held. ARGV: 1 person, 2 1
-- for the dead too
local list = {}
for _, member in ipairs(members(KEYS[1], ARGV[1])) do
  local s = state(KEYS[2], member)
  if not s then return redis.error_reply('FOREIGN') end
  if s.reason == '' or ARGV[2] == '1' then list[#list + 1] = whole(KEYS[1], member) end
end
return list
