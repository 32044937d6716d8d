package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reminderCases are the ways in which other bots and queues have lost, doubled
// or delayed reminders, and the tests that go through them here. Those behind
// -tags slow are marked with a star.
var reminderCases = []struct {
	n     int
	what  string
	tests string // folder and name of the function, or of the case in its suite
}{
	{1, "a crash after the claim loses it", "bot.TestKilled"},
	{2, "a crash between send and acknowledgement: one repeat, which says so; in Discord none", "bot.TestKilled bot.TestSoak* bot.remindersThere adapters/discord.TestSendOnce"},
	{3, "orphans are found at the next start only", "bot.TestKilled adapters/redis.TestNoTime"},
	{4, "a process that is alive counts as dead: work is done twice", "bot.TestPausedPastItsLease adapters/adaptertest.lease adapters/adaptertest.begin"},
	{5, "more processes are later", "bot.TestBellsTogether bot.TestBurstOverReplicas* adapters/adaptertest.manyClaimers"},
	{6, "the loop dies when the store is away", "bot.TestRedisAway bot.TestBellStalls adapters/redis.TestStopped"},
	{7, "a backlog is taken all at once", "adapters/redis.TestManyPending* bot.TestBellHangs adapters/adaptertest.dueInOrder"},
	{8, "stuck without a lease", "adapters/redis.TestMend"},
	{9, "an entry that crashes whoever takes it", "bot.TestBellPoison adapters/redis.TestBrokenRecord adapters/adaptertest.lease"},
	{10, "tried for ever though the person has blocked us", "bot.TestBellGone bot.TestBellRoomGone adapters/adaptertest.buryAndRevive"},
	{11, "removed though it was not sent", "bot.TestBellTriesAgain adapters/adaptertest.retry"},
	{12, "the store drops keys", "adapters/redis.TestWarnings"},
	{13, "a failover loses what was promised", "adapters/redis.TestReplica adapters/redis.TestSentinel* adapters/redis.TestCluster*"},
	{14, "the store restarts, with its last writes or without", "adapters/redis.TestRestartInBurst adapters/redis.TestCutTail adapters/redis.TestRestart bot.TestSoak*"},
	{15, "the clock of whoever sends is wrong", "adapters/redis.TestOtherClock"},
	{16, "the clock of the store jumps", "adapters/redis.TestServerClockJumps"},
	{17, "scripts may not ask for the time", "adapters/redis.TestNoTime"},
	{18, "a recurring one drifts when the clocks change", "bot.TestFollowingOverClockChanges advisor/when.TestNext"},
	{19, "a wall time that does not exist, or twice; a month that is too short", "bot.TestFollowingOverClockChanges advisor/when.TestWall advisor/when.TestWallProperty"},
	{20, "zones differ; a snooze moves the series; early by rounding", "bot.TestZoneAfterwards bot.TestPutOffWhatWasSaid adapters/redis.TestNeverEarly advisor/when.TestNeverEarly"},
	{21, "kept in the memory of the process", "bot.TestKilled bot.remindersThere"},
	{22, "made twice by a retry or a double click", "adapters/adaptertest.addAndList adapters/redis.TestSwallowedAnswer"},
	{23, "being asked to wait counts as a failure", "bot.TestBellWaits adapters/adaptertest.retry"},
}

// TestReminderCases looks whether those tests are still there.
func TestReminderCases(t *testing.T) {
	for i, c := range reminderCases {
		if c.n != i+1 {
			t.Errorf("case %d is where %d belongs", c.n, i+1)
		}
		for test := range strings.FieldsSeq(c.tests) {
			folder, name, _ := strings.Cut(strings.TrimSuffix(test, "*"), ".")
			if !declares(t, filepath.Join("..", folder), "func "+name+"(") {
				t.Errorf("case %d, %s: there is no %s", c.n, c.what, test)
			}
		}
	}
}

// declares tells whether a file of the folder has a text.
func declares(t *testing.T, folder, text string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil && strings.Contains(string(data), text) {
			return true
		}
	}
	return false
}
