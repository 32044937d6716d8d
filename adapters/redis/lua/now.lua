-- In front of every script that needs the time. It is the server's; a server
-- that does not let a script ask for it is told by the caller.
local function now(given)
  if given ~= '' then return tonumber(given) end
  local t = redis.pcall('TIME')
  if t.err then return nil end
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

local function int(n) return string.format('%.0f', n) end
