-- Behind now.lua, in front of the scripts for settings. A record is
-- "version until by data": the first two are numbers, until is 0 for ever or
-- ms, by holds no space. Returns version, until, by, data; version nil when it
-- is not ours.
local function parse(text)
  local v, till, by, data = string.match(text, '^(%d+) (%d+) ([^ ]*) (.*)$')
  return tonumber(v), tonumber(till), by, data
end

-- extend lets the key live as long as the record that was just put into it:
-- lives is what PTTL said before that, till the record's until as text.
local function extend(key, lives, till, t)
  if till == '0' then
    if lives >= 0 then redis.call('PERSIST', key) end
  elseif lives == -2 or lives >= 0 and t + lives < tonumber(till) then
    redis.call('PEXPIREAT', key, till)
  end
end
