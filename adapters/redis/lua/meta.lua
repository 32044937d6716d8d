-- KEYS[1] gb:meta. ARGV: schema, shards of a new Redis.
-- Returns the schema and the shards that are stored now.
local kind = redis.call('TYPE', KEYS[1])['ok']
if kind == 'none' then
  redis.call('HSET', KEYS[1], 'schema', ARGV[1], 'shards', ARGV[2])
elseif kind ~= 'hash' then
  return redis.error_reply('FOREIGN')
end
local have = redis.call('HMGET', KEYS[1], 'schema', 'shards')
return {have[1] or '', have[2] or ''}
