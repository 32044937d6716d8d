-- Removes all records of an owner. KEYS[1] all records of the owner.
local kind = redis.call('TYPE', KEYS[1])['ok']
if kind == 'none' then return 0 end
if kind ~= 'hash' then return redis.error_reply('FOREIGN') end
for _, text in ipairs(redis.call('HVALS', KEYS[1])) do
  if not parse(text) then return redis.error_reply('FOREIGN') end
end
return redis.call('DEL', KEYS[1])
