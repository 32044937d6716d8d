-- Behind now.lua, in front of the scripts for settings. A record is
-- "version until by data": the first two are numbers, until is 0 for ever or
-- ms, by holds no space. Returns version, until, by, data; version nil when it
-- is not ours.
local function parse(text)
  local v, till, by, data = string.match(text, '^(%d+) (%d+) ([^ ]*) (.*)$')
  return tonumber(v), tonumber(till), by, data
end
