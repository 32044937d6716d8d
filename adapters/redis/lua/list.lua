-- Returns the reminders of a person. KEYS[1] person. ARGV[1] 1 for the dead too
local list, all = {}, redis.call('HKEYS', KEYS[1])
for _, field in ipairs(all) do
  if string.sub(field, -1) == ':' then
    local mark = string.sub(field, 1, -2)
    local s = get(KEYS[1], mark)
    if not s then return redis.error_reply('FOREIGN') end
    if s.reason == '' or ARGV[1] == '1' then list[#list + 1] = pieces(KEYS[1], mark, s) end
  end
end
return list
