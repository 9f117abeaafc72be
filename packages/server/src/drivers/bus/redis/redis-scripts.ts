import { createHash } from "node:crypto";
import { LEASE_MS, MAX_PARTS } from "../bus.ts";

/** A script that Redis runs, atomically. `sha` is the name under which Redis caches it. */
export interface Script {
  text: string;
  sha: string;
}

/*
 * The keys, each after the prefix of the instance:
 *
 *   rate {class} {owner}   hash: "p" + part -> "taken refused endsAt"; "n" -> the time before which no part can be removed
 *   leases                 sorted set: lease -> the time at which it expires
 *   held {lease}           set: the entries under a lease, each a JSON array ["place", place, holder] or ["member", topic, member, connection]
 *   place {place}          hash: holder -> lease, a line feed, owner
 *   members {topic}        hash: member -> JSON { order, name, connections: { connection: lease } }
 *   joins                  the number of members who have joined any topic, which orders them
 *
 * Times are epoch milliseconds of Redis's own clock. A script derives the names of further keys from the prefix, so it works on one server,
 * not in a Redis Cluster.
 */

const CLOCK = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Functions of the scripts that work with leases. KEYS[1] is the prefix of all keys. */
const LEASES = `${CLOCK}
local prefix = KEYS[1]
local known = {}
local function isLive(lease)
  if known[lease] == nil then known[lease] = tonumber(redis.call("ZSCORE", prefix .. "leases", lease) or 0) > now end
  return known[lease]
end
-- A lease that nobody has renewed yet, or no longer, is recorded as expired, so that its entries are removed.
local function keep(lease, entry)
  if not isLive(lease) then redis.call("ZADD", prefix .. "leases", "NX", 0, lease) end
  redis.call("SADD", prefix .. "held " .. lease, entry)
end
-- Calls count(id, owner) for each holder of a place whose lease is live.
local function eachHolder(place, count)
  local holders = redis.call("HGETALL", prefix .. "place " .. place)
  for at = 1, #holders, 2 do
    local line = string.find(holders[at + 1], "\\n", 1, true)
    if isLive(string.sub(holders[at + 1], 1, line - 1)) then count(holders[at], string.sub(holders[at + 1], line + 1)) end
  end
end
local function release(place, holder)
  local value = redis.call("HGET", prefix .. "place " .. place, holder)
  if not value then return end
  redis.call("HDEL", prefix .. "place " .. place, holder)
  return string.sub(value, 1, string.find(value, "\\n", 1, true) - 1)
end
-- Returns the lease of the removed connection, and the member if that was their last connection.
local function leave(topic, member, connection)
  local key = prefix .. "members " .. topic
  local value = redis.call("HGET", key, member)
  local present = value and cjson.decode(value)
  local lease = present and present.connections[connection]
  if not lease then return end
  present.connections[connection] = nil
  if next(present.connections) == nil then
    redis.call("HDEL", key, member)
    return lease, present
  end
  redis.call("HSET", key, member, cjson.encode(present))
  return lease
end
`;

const script = (text: string): Script => ({ text, sha: createHash("sha1").update(text).digest("hex") });

/**
 * Takes from several buckets, one after the other. KEYS: the buckets of an owner for each. ARGV: part, limit and windowMs of each. Returns allowed,
 * remaining, refused and resetMs of each, in one list. A window that ends later than windowMs from now, because the clock was set back, ends
 * in windowMs.
 */
export const TAKE = script(`${CLOCK}
-- Looks for parts to remove at most once before the first of them can be removed.
local function hasRoom(key, window)
  local size = redis.call("HLEN", key)
  if size < ${MAX_PARTS} then return true end
  local soonest = tonumber(redis.call("HGET", key, "n") or 0)
  if soonest > now then return false end
  redis.call("HDEL", key, "n")
  soonest = now + window
  local all = redis.call("HGETALL", key)
  size = 0
  for at = 1, #all, 2 do
    if all[at] ~= "n" then
      local ends = tonumber(string.match(all[at + 1], "(%d+)$"))
      if ends <= now then redis.call("HDEL", key, all[at])
      else
        size = size + 1
        soonest = math.min(soonest, ends)
      end
    end
  end
  if size < ${MAX_PARTS} then return true end
  redis.call("HSET", key, "n", soonest)
  return false
end
local function read(key, part, window)
  local value = redis.call("HGET", key, part)
  if not value then return end
  local taken, refused, ends = string.match(value, "^(%d+) (%d+) (%d+)$")
  ends = tonumber(ends)
  if ends <= now then return end
  return tonumber(taken), tonumber(refused), math.min(ends, now + window)
end
local replies = {}
for index, key in ipairs(KEYS) do
  local part, limit, window = "p" .. ARGV[3 * index - 2], tonumber(ARGV[3 * index - 1]), tonumber(ARGV[3 * index])
  local taken, refused, ends = read(key, part, window)
  if not taken and part ~= "p" and redis.call("HEXISTS", key, part) == 0 and not hasRoom(key, window) then
    part = "p"
    taken, refused, ends = read(key, part, window)
  end
  local isNew = not taken
  if isNew then taken, refused, ends = 0, 0, now + window end
  local allowed = taken < limit
  if allowed then taken = taken + 1 else refused = refused + 1 end
  redis.call("HSET", key, part, string.format("%d %d %d", taken, refused, ends))
  if isNew and redis.call("PEXPIRE", key, window, "GT") == 0 then redis.call("PEXPIRE", key, window, "NX") end
  local at = 4 * index - 3
  replies[at], replies[at + 1], replies[at + 2], replies[at + 3] =
    allowed and 1 or 0, math.max(0, limit - taken), refused, ends - now
end
return replies
`);

/** KEYS[1]: the buckets of the owner. ARGV: part. A window that is over is read by nobody, so it may be changed. */
export const GIVE_BACK = script(`
local value = redis.call("HGET", KEYS[1], "p" .. ARGV[1])
if not value then return end
local taken, refused, ends = string.match(value, "^(%d+) (%d+) (%d+)$")
if tonumber(taken) == 0 then return end
redis.call("HSET", KEYS[1], "p" .. ARGV[1], string.format("%d %s %s", taken - 1, refused, ends))
`);

/** ARGV: place, holder, owner, lease, entry, limit of all, limit of each. Returns the outcome. */
export const HOLD = script(`${LEASES}
local place, holder, owner, lease = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local all, own = 0, 0
eachHolder(place, function(id, of)
  if id == holder then return end
  all = all + 1
  if of == owner then own = own + 1 end
end)
if own >= tonumber(ARGV[7]) then return "owner full" end
if all >= tonumber(ARGV[6]) then return "full" end
redis.call("HSET", prefix .. "place " .. place, holder, lease .. "\\n" .. owner)
keep(lease, ARGV[5])
return "held"
`);

/** ARGV: place, holder, entry. */
export const RELEASE = script(`${LEASES}
local lease = release(ARGV[1], ARGV[2])
if lease then redis.call("SREM", prefix .. "held " .. lease, ARGV[3]) end
`);

/** ARGV: place. Returns owners and their numbers of holders, in turn. */
export const HOLDERS = script(`${LEASES}
local counts = {}
eachHolder(ARGV[1], function(_, owner) counts[owner] = (counts[owner] or 0) + 1 end)
local owners = {}
for owner, count in pairs(counts) do
  owners[#owners + 1] = owner
  owners[#owners + 1] = count
end
return owners
`);

/** ARGV: topic, member, name, connection, lease, entry. Returns 1 for the member's first connection, otherwise 0. */
export const JOIN = script(`${LEASES}
local key, member, connection, lease = prefix .. "members " .. ARGV[1], ARGV[2], ARGV[4], ARGV[5]
local value = redis.call("HGET", key, member)
local present = value and cjson.decode(value)
  or { order = redis.call("INCR", prefix .. "joins"), name = ARGV[3], connections = {} }
present.connections[connection] = lease
redis.call("HSET", key, member, cjson.encode(present))
keep(lease, ARGV[6])
return value and 0 or 1
`);

/** ARGV: topic, member, connection, entry. Returns 1 if it was the member's last connection, otherwise 0. */
export const LEAVE = script(`${LEASES}
local lease, last = leave(ARGV[1], ARGV[2], ARGV[3])
if lease then redis.call("SREM", prefix .. "held " .. lease, ARGV[4]) end
return last and 1 or 0
`);

/** ARGV: topic. Returns ids and names, in turn, in the order in which the members joined. */
export const MEMBERS = script(`${LEASES}
local found = redis.call("HGETALL", prefix .. "members " .. ARGV[1])
local live = {}
for at = 1, #found, 2 do
  local present = cjson.decode(found[at + 1])
  for _, lease in pairs(present.connections) do
    if isLive(lease) then
      present.id = found[at]
      live[#live + 1] = present
      break
    end
  end
end
table.sort(live, function(a, b) return a.order < b.order end)
local members = {}
for _, present in ipairs(live) do
  members[#members + 1] = present.id
  members[#members + 1] = present.name
end
return members
`);

/**
 * ARGV: lease. Returns [kept, departed], where departed has topic, id and name of each member, in turn. A lease that would last longer than
 * it may, because the clock was set back, is shortened.
 */
export const RENEW = script(`${LEASES}
local leases, lease = prefix .. "leases", ARGV[1]
local kept = isLive(lease)
local departed = {}
local function remove(expired)
  redis.call("ZREM", leases, expired)
  for _, entry in ipairs(redis.call("SMEMBERS", prefix .. "held " .. expired)) do
    local kind, of, id, connection = unpack(cjson.decode(entry))
    if kind == "place" then release(of, id)
    else
      local _, last = leave(of, id, connection)
      if last then
        departed[#departed + 1] = of
        departed[#departed + 1] = id
        departed[#departed + 1] = last.name
      end
    end
  end
  redis.call("DEL", prefix .. "held " .. expired)
end
for _, expired in ipairs(redis.call("ZRANGEBYSCORE", leases, "-inf", now)) do remove(expired) end
if not kept then remove(lease) end
for _, other in ipairs(redis.call("ZRANGEBYSCORE", leases, "(" .. now + ${LEASE_MS}, "+inf")) do
  redis.call("ZADD", leases, now + ${LEASE_MS}, other)
end
redis.call("ZADD", leases, now + ${LEASE_MS}, lease)
return { kept and 1 or 0, departed }
`);

/** ARGV: lease. Returns the entries under it. */
export const HELD = script(`return redis.call("SMEMBERS", KEYS[1] .. "held " .. ARGV[1])`);
