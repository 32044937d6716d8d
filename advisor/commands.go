package advisor

// Command is one thing that a person can ask for by name. Terminal, Telegram's
// menu and Discord's slash commands are made from Commands, so a chat never
// offers what is not there.
type Command struct {
	Name    string   // "vram": /vram in a chat, gpuadvisor vram in a terminal
	ZH, EN  []string // words that mean it in free text
	Args    string   // "" none, "text", "paste", "card" …
	Inside  bool     // only inside a dialogue: /why, /back …
	Inline  bool     // answered from any chat, in inline mode
	Private bool     // answered for the asker's eyes only
	Who     string   // "" everybody, admin, operator
}

// Commands is the one registry of what exists.
func Commands() []Command {
	return []Command{
		{Name: "gpu", ZH: []string{"选卡"}, EN: []string{"advise"}, Args: "text"},
		{Name: "start", Args: "text"},
		{Name: "vram", ZH: []string{"显存"}, Args: "text", Inline: true},
		{Name: "card", ZH: []string{"显卡"}, Args: "card", Inline: true},
		{Name: "cost", ZH: []string{"算钱"}, Args: "text", Inline: true},
		{Name: "prices", ZH: []string{"价格"}, Args: "card", Inline: true},
		{Name: "price", ZH: []string{"定价"}, Args: "text", Who: "admin"},
		{Name: "platforms", ZH: []string{"平台"}, EN: []string{"platforms"}},
		{Name: "diagnose", ZH: []string{"排障"}, Args: "paste"},
		{Name: "verify", ZH: []string{"验卡"}, Args: "paste"},
		{Name: "checklist", ZH: []string{"清单"}, Args: "text"},
		{Name: "score", ZH: []string{"打分"}, Args: "text"},
		{Name: "trial", ZH: []string{"试跑"}, Args: "text"},
		{Name: "remind", ZH: []string{"提醒"}, Args: "text"},
		{Name: "release", ZH: []string{"释放"}, Args: "text"},
		{Name: "rentals", ZH: []string{"实例"}},
		{Name: "why", ZH: []string{"为什么"}, EN: []string{"why"}, Args: "text", Inside: true},
		{Name: "whatif", ZH: []string{"如果"}, EN: []string{"what if"}, Args: "text", Inside: true},
		{Name: "more", ZH: []string{"更多"}, EN: []string{"more"}, Inside: true},
		{Name: "peak", ZH: []string{"峰值"}, EN: []string{"peak"}, Args: "number", Inside: true},
		{Name: "back", ZH: []string{"返回", "上一步"}, EN: []string{"back"}, Inside: true},
		{Name: "skip", ZH: []string{"跳过"}, EN: []string{"skip"}, Inside: true},
		{Name: "cancel", ZH: []string{"取消"}, EN: []string{"cancel"}, Inside: true},
		{Name: "restart", ZH: []string{"重来"}, EN: []string{"restart", "start over"}, Inside: true},
		{Name: "report", ZH: []string{"反馈"}, EN: []string{"report"}, Args: "text", Inside: true},
		{Name: "settings", ZH: []string{"设置"}, EN: []string{"settings"}, Args: "text", Private: true},
		{Name: "group", ZH: []string{"群设置"}, Args: "text", Who: "admin"},
		{Name: "admin", Args: "text", Private: true, Who: "operator"},
		{Name: "forget", ZH: []string{"忘记我"}, EN: []string{"forget me"}, Private: true},
		{Name: "help", ZH: []string{"帮助"}, EN: []string{"help"}},
	}
}
