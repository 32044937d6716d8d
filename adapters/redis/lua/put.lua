-- Stores or removes one record: first who wrote it, then the version, then
-- the write. KEYS[1] all records of the owner.
-- ARGV: 1 now, 2 name, 3 version, 4 by, 5 until, 6 data ('' removes)
-- Returns {'stored' or 'conflict', version}.
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local key, name = KEYS[1], ARGV[2]
local version = 0
local old = redis.call('HGET', key, name)
if old then
  local v, till, by = parse(old)
  if not v then return redis.error_reply('FOREIGN') end
  if till == 0 or t < till then
    version = v
    if by == ARGV[4] and by ~= '' and ARGV[6] ~= '' then return {'stored', v} end
  end
end
if ARGV[6] == '' and version == 0 then return {'stored', 0} end
if int(version) ~= ARGV[3] then return {'conflict', version} end
if ARGV[6] == '' then
  redis.call('HDEL', key, name)
  return {'stored', 0}
end

local lives = redis.call('PTTL', key) -- -2 no key, -1 for ever, else ms
version = version + 1
redis.call('HSET', key, name, int(version) .. ' ' .. ARGV[5] .. ' ' .. ARGV[4] .. ' ' .. ARGV[6])
extend(key, lives, ARGV[5], t)

local all = redis.call('HGETALL', key) -- what expired goes when something is put
for i = 1, #all, 2 do
  local v, till = parse(all[i + 1])
  if v and till > 0 and till <= t then redis.call('HDEL', key, all[i]) end
end
return {'stored', version}
