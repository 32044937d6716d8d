-- Stores one record as it was elsewhere. KEYS[1] all records of the owner.
-- ARGV: 1 now, 2 name, 3 "version until by data", 4 until
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local key, till = KEYS[1], ARGV[4]
local lives = redis.call('PTTL', key) -- -2 no key, -1 for ever, else ms
redis.call('HSET', key, ARGV[2], ARGV[3])
if till == '0' then
  if lives >= 0 then redis.call('PERSIST', key) end
elseif lives == -2 or lives >= 0 and t + lives < tonumber(till) then
  redis.call('PEXPIREAT', key, till)
end
return 1
