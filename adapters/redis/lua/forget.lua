-- Removes a hash of ours. KEYS[1] the key; ARGV[1] a field that ours has.
local kind = redis.call('TYPE', KEYS[1])['ok']
if kind == 'none' then return 0 end
if kind ~= 'hash' or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return redis.error_reply('FOREIGN')
end
return redis.call('DEL', KEYS[1])
