-- Notes that claimed reminders are about to be sent. KEYS: due, held.
-- ARGV: 1 now, and for each reminder: member, token, how long it must still be
-- ours in ms
-- Returns for each 1, or 0 when it is not ours for that long.
local t = now(ARGV[1])
if not t then return redis.error_reply('NOTIME') end
local answers = {}
for i = 2, #ARGV, 3 do
  local member, s, ours = ARGV[i], state(KEYS[2], ARGV[i]), 0
  if s and s.reason == '' and s.token == ARGV[i + 1] then
    local ends = redis.call('ZSCORE', KEYS[1], member)
    if ends and t + ARGV[i + 2] <= tonumber(ends) then
      ours, s.reached = 1, '1'
      hold(KEYS[2], member, s)
    end
  end
  answers[#answers + 1] = ours
end
return answers
