-- Returns reminders that wait for nothing: their records are there, and
-- neither when they are due nor when they died. KEYS: due, dead, buckets…
local list = {}
for i = 3, #KEYS do
  for _, member in ipairs(members(KEYS[i])) do
    if not redis.call('ZSCORE', KEYS[1], member) and not redis.call('ZSCORE', KEYS[2], member) then
      list[#list + 1] = whole(KEYS[i], member)
    end
  end
end
return list
