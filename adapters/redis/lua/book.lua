-- Behind now.lua, in front of the scripts for reminders. A person's hash has,
-- for each reminder with its MARK of 12 characters, the state under MARK:
-- "attempts reached pieces token reason" (token - when nobody holds it, reason
-- empty while it waits), and the reminder itself under MARK0, MARK1, …: short
-- values, because a hash of those takes a third of the memory. The member of
-- the sorted sets and of a room's set is MARK .. PERSON.
local function parse(state)
  local n, reached, pieces, token, reason = string.match(state, '^(%d+) (%d) (%d+) ([^ ]+) (.*)$')
  if not n then return nil end
  return {attempts = tonumber(n), reached = reached, pieces = tonumber(pieces), token = token, reason = reason}
end

local function unparse(s)
  return int(s.attempts) .. ' ' .. s.reached .. ' ' .. int(s.pieces) .. ' ' .. s.token .. ' ' .. s.reason
end

local function get(person, mark)
  local state = redis.call('HGET', person, mark .. ':')
  return state and parse(state)
end

local function set(person, mark, s) redis.call('HSET', person, mark .. ':', unparse(s)) end

local function pieces(person, mark, s)
  local all = {}
  for i = 0, s.pieces - 1 do all[#all + 1] = redis.call('HGET', person, mark .. i) or '' end
  return table.concat(all)
end

-- fill writes the reminder, whose pieces are ARGV[first] and on.
local function fill(person, mark, s, first)
  for i = s.pieces - 1, #ARGV - first + 1, -1 do redis.call('HDEL', person, mark .. i) end
  s.pieces = #ARGV - first + 1
  for i = first, #ARGV do redis.call('HSET', person, mark .. (i - first), ARGV[i]) end
end

local function drop(person, mark, s)
  redis.call('HDEL', person, mark .. ':')
  for i = 0, s.pieces - 1 do redis.call('HDEL', person, mark .. i) end
end

local function split(member) return string.sub(member, 1, 12), string.sub(member, 13) end
