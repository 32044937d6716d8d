-- Behind now.lua, in front of the scripts for reminders. keys.go tells what
-- lies where. A reminder's MEMBER is 16 characters: 8 for the person, 8 for
-- the reminder. Its record is in pieces of at most 64 bytes under MEMBER,
-- MEMBER1, MEMBER2, … of its bucket, because a hash of short values takes a
-- third of the memory; the first byte of the first piece says how many there
-- are, from '1' on. Its state is "attempts reached token reason" (token - when
-- nobody holds it, reason empty while it waits), and not kept for one that
-- nobody has claimed yet.
local function read(text)
  if not text then return {attempts = 0, reached = '0', token = '-', reason = ''} end
  local n, reached, token, reason = string.match(text, '^(%d+) (%d) ([^ ]+) (.*)$')
  if not n then return nil end
  return {attempts = tonumber(n), reached = reached, token = token, reason = reason}
end

local function state(held, member) return read(redis.call('HGET', held, member)) end

local function write(s) return int(s.attempts) .. ' ' .. s.reached .. ' ' .. s.token .. ' ' .. s.reason end

local function hold(held, member, s)
  if s.attempts == 0 and s.reached == '0' and s.token == '-' and s.reason == '' then
    redis.call('HDEL', held, member)
  else
    redis.call('HSET', held, member, write(s))
  end
end

local function count(first) return (string.byte(first, 1, 1) or 49) - 48 end

-- whole is the record of a reminder, nil when there is none.
local function whole(bucket, member)
  local first = redis.call('HGET', bucket, member)
  if not first then return nil end
  local n = count(first)
  if n == 1 then return first end
  if n == 2 then return first .. (redis.call('HGET', bucket, member .. 1) or '') end
  local all = {first}
  for i = 1, n - 1 do all[#all + 1] = redis.call('HGET', bucket, member .. i) or '' end
  return table.concat(all)
end

-- drop removes a record and tells whether there was one.
local function drop(bucket, member)
  local first = redis.call('HGET', bucket, member)
  if not first then return false end
  redis.call('HDEL', bucket, member)
  for i = 1, count(first) - 1 do redis.call('HDEL', bucket, member .. i) end
  return true
end

-- fill writes a record, whose pieces are ARGV[first] and on.
local function fill(bucket, member, first)
  drop(bucket, member)
  redis.call('HSET', bucket, member, ARGV[first])
  for i = first + 1, #ARGV do redis.call('HSET', bucket, member .. (i - first), ARGV[i]) end
end

-- members are those in a bucket, of one person or of all.
local function members(bucket, person)
  local list = {}
  for _, field in ipairs(redis.call('HKEYS', bucket)) do
    if #field == 16 and (not person or string.sub(field, 1, 8) == person) then list[#list + 1] = field end
  end
  return list
end

local function bucketOf(prefix, member) return prefix .. string.sub(member, 1, 2) end
