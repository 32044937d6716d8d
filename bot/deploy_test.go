package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/discord"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/rules"
)

// counting is a chat that tells what Discord tells.
type counting struct{ adapters.Chat }

func (counting) Stats() discord.Stats { return discord.Stats{} }

// metricLabels are the metrics that a server can have, with their labels, by
// reading one.
func metricLabels(t *testing.T) map[string][]string {
	t.Helper()
	s, _, _ := serverOf(t, memory.Open(nil), map[string]standIn{})
	s.chats = append(s.chats, &served{name: "discord", Chat: counting{}})
	s.meters.watch(s)
	m := s.meters
	m.turns.WithLabelValues("discord", "answer")
	m.sends.WithLabelValues("discord", "reply", "ok")
	m.limited.WithLabelValues("discord")
	m.turn.WithLabelValues("discord")
	m.send.WithLabelValues("discord")
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, f := range families {
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		all[f.GetName()] = labels
		if f.GetType().String() == "HISTOGRAM" {
			all[f.GetName()+"_bucket"], all[f.GetName()+"_count"], all[f.GetName()+"_sum"] = append(slices.Clip(labels), "le"), labels, labels
		}
	}
	return all
}

var (
	grouped  = regexp.MustCompile(`by \(([^)]*)\)`)
	selected = regexp.MustCompile(`([a-z_]+)(?:=|=~|!=|!~)"`)
)

// labelsIn are the labels that an expression groups or selects by.
func labelsIn(expr string) (labels []string) {
	for _, m := range grouped.FindAllStringSubmatch(expr, -1) {
		for l := range strings.SplitSeq(m[1], ",") {
			labels = append(labels, strings.TrimSpace(l))
		}
	}
	for _, m := range selected.FindAllStringSubmatch(expr, -1) {
		labels = append(labels, m[1])
	}
	return labels
}

var ourMetric = regexp.MustCompile(`gpuadvisor_[a-z_]+`)

// TestDeployMetrics: dashboard and alerts ask for nothing that does not exist,
// and the dashboard shows everything of ours.
func TestDeployMetrics(t *testing.T) {
	names := metricLabels(t)
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "bot/deploy/dashboard.json")), &board); err != nil || len(board.Panels) < 8 {
		t.Fatalf("got %d panels: %v", len(board.Panels), err)
	}
	var exprs []string
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			exprs = append(exprs, target.Expr)
		}
	}
	shown := strings.Join(exprs, "\n")
	var alerts struct {
		Groups []struct {
			Name  string `yaml:"name"`
			Rules []struct {
				Alert       string            `yaml:"alert"`
				Expr        string            `yaml:"expr"`
				For         string            `yaml:"for,omitempty"`
				Labels      map[string]string `yaml:"labels"`
				Annotations map[string]string `yaml:"annotations"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	if problems := rules.Decode("alerts.yaml", []byte(read(t, "bot/deploy/alerts.yaml")), &alerts); len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, a := range alerts.Groups[0].Rules {
		if a.Alert == "" || a.Annotations["summary"] == "" || a.Labels["severity"] == "" {
			t.Errorf("alert %+v: want a name, a severity and what to do", a)
		}
		exprs = append(exprs, a.Expr)
	}
	tested := read(t, "bot/deploy/alerts_test.yaml")
	for _, a := range alerts.Groups[0].Rules {
		if strings.Count(tested, "alertname: "+a.Alert) != 2 {
			t.Errorf("alerts_test.yaml does not try %s, once when all is well and once when it is not", a.Alert)
		}
	}
	for _, expr := range exprs {
		if strings.Count(expr, "(") != strings.Count(expr, ")") {
			t.Errorf("brackets do not close: %s", expr)
		}
		found := ourMetric.FindAllString(expr, -1)
		if len(found) == 0 {
			t.Errorf("no metric of ours in %s", expr)
		}
		for _, name := range found {
			labels, ok := names[name]
			if !ok {
				t.Errorf("no metric %s, in %s", name, expr)
			}
			for _, l := range labelsIn(expr) {
				if !slices.Contains(labels, l) {
					t.Errorf("%s has no label %s, in %s", name, l, expr)
				}
			}
		}
	}
	for name := range names {
		if strings.HasPrefix(name, "gpuadvisor_") && !strings.HasSuffix(name, "_count") && !strings.HasSuffix(name, "_sum") && !strings.Contains(shown, name) {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
}

// TestDeployFiles: what unit and compose file name is there.
func TestDeployFiles(t *testing.T) {
	known := map[string]bool{}
	for _, key := range keys() {
		known[variable(key)] = true
	}
	type service struct {
		Build       string            `yaml:"build,omitempty"`
		Image       string            `yaml:"image,omitempty"`
		Restart     string            `yaml:"restart"`
		Environment map[string]string `yaml:"environment,omitempty"`
		Ports       []string          `yaml:"ports,omitempty"`
		Command     []string          `yaml:"command,omitempty"`
		Volumes     []string          `yaml:"volumes,omitempty"`
		DependsOn   map[string]struct {
			Condition string `yaml:"condition"`
		} `yaml:"depends_on,omitempty"`
		Healthcheck struct {
			Test     []string `yaml:"test"`
			Interval string   `yaml:"interval"`
		} `yaml:"healthcheck,omitempty"`
	}
	var compose struct {
		Services map[string]service           `yaml:"services"`
		Volumes  map[string]map[string]string `yaml:"volumes"`
	}
	if problems := rules.Decode("compose.yaml", []byte(read(t, "bot/deploy/compose.yaml")), &compose); len(problems) > 0 {
		t.Fatal(problems)
	}
	bot, redis := compose.Services["bot"], compose.Services["redis"]
	for name := range bot.Environment {
		if !known[name] {
			t.Errorf("compose.yaml sets %s, which is no setting", name)
		}
	}
	if bot.Build != "../.." || read(t, "Dockerfile") == "" || !strings.Contains(read(t, "Dockerfile"), "EXPOSE 8080") || bot.Ports[0] != "127.0.0.1:8080:8080" {
		t.Errorf("the bot is built from %q and heard at %q", bot.Build, bot.Ports)
	}
	if !strings.Contains(strings.Join(redis.Command, " "), "--appendonly yes --maxmemory-policy noeviction") || bot.Environment["REDIS_URL"] != "redis://redis:6379" {
		t.Errorf("Redis runs %q, the bot asks %q", redis.Command, bot.Environment["REDIS_URL"])
	}
	if volume, _, _ := strings.Cut(redis.Volumes[0], ":"); compose.Volumes[volume] == nil {
		t.Errorf("no volume %s", volume)
	}
	unit, section := map[string][]string{}, ""
	for line := range strings.Lines(read(t, "bot/deploy/gpuadvisor.service")) {
		line = strings.TrimSpace(line)
		key, value, pair := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = line
		case !pair || section == "":
			t.Errorf("the unit has a line that is none: %q", line)
		default:
			unit[section+key] = append(unit[section+key], value)
		}
	}
	start := unit["[Service]ExecStart"]
	if len(start) != 1 || !strings.HasSuffix(start[0], "gpuadvisor serve") || !strings.Contains(unit["[Service]ExecReload"][0], "-HUP") || unit["[Install]WantedBy"] == nil {
		t.Errorf("the unit starts %q", start)
	}
	for _, pair := range unit["[Service]Environment"] {
		if name, value, _ := strings.Cut(pair, "="); !known[name] || !strings.HasPrefix(value, "/var/lib/"+unit["[Service]StateDirectory"][0]) {
			t.Errorf("the unit sets %s", pair)
		}
	}
	if unit["[Service]TimeoutStopSec"][0] != "15" || stopTime.Seconds() >= 15 {
		t.Errorf("the unit gives %v s to stop, the bot takes up to %s", unit["[Service]TimeoutStopSec"], stopTime)
	}
}
