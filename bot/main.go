// Command gpuadvisor advises people who rent GPUs: which card, how many, from
// what kind of platform, at what cost and with what risks, in Chinese or
// English.
//
// It keeps house and does no thinking: package advisor decides, package rules
// knows, the adapters talk and store. Here are the commands (this file), the
// turn that takes a message through the house (turn.go) with what people have
// set (profile.go), the reminders (remind.go, news.go), what an operator sets
// (config.go), the one list of chats and stores (wire.go), the server that runs
// them (serve.go, health.go), what people leave for its operator (report.go,
// peaks.go; beside.go reads it while the bot runs), and one file for each other
// command.
//
// Without arguments it talks in the terminal at once: no token, no server, no
// file. Exit status: 0 fine, 1 a problem that was printed, 2 wrong usage.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	_ "time/tzdata" // images and Windows come without time zones
	"unicode"

	"github.com/alecthomas/kong"

	"gpuadvisor/advisor"
	"gpuadvisor/rules"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second one ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// commands is the command line. Flags may stand before or after a text.
type commands struct {
	Lang   string `enum:"zh,en,auto" default:"auto" placeholder:"zh|en" help:"${lang}"`
	Config string `placeholder:"FILE" help:"${config}"`
	Rules  string `placeholder:"DIR" env:"RULES_DIR" help:"${rules}"`
	TZ     string `name:"tz" placeholder:"ZONE" env:"DEFAULT_TZ" help:"${tz}"`

	Chat      chatCommand      `cmd:"" default:"withargs" help:"${chat}"`
	Ask       askCommand       `cmd:"" help:"${ask}"`
	VRAM      vramCommand      `cmd:"" name:"vram" help:"${vram}"`
	Card      cardCommand      `cmd:"" help:"${card}"`
	Platforms platformsCommand `cmd:"" help:"${platforms}"`
	Cost      costCommand      `cmd:"" help:"${cost}"`
	Prices    pricesCommand    `cmd:"" help:"${prices}"`
	Diagnose  diagnoseCommand  `cmd:"" help:"${diagnose}"`
	Verify    verifyCommand    `cmd:"" help:"${verify}"`
	Checklist checklistCommand `cmd:"" help:"${checklist}"`
	Score     scoreCommand     `cmd:"" help:"${score}"`
	Trial     trialCommand     `cmd:"" help:"${trial}"`
	When      whenCommand      `cmd:"" help:"${when}"`
	Remind    remindCommand    `cmd:"" help:"${remind}"`
	Release   releaseCommand   `cmd:"" help:"${release}"`
	Rentals   rentalsCommand   `cmd:"" help:"${rentals}"`
	Settings  settingsCommand  `cmd:"" help:"${settings}"`
	Forget    forgetCommand    `cmd:"" help:"${forget}"`
	Check     checkCommand     `cmd:"" help:"${check}"`
	Doctor    doctorCommand    `cmd:"" help:"${doctor}"`
	Serve     serveCommand     `cmd:"" help:"${serve}"`
	Store     storeCommand     `cmd:"" help:"${storing}"`
	Reports   reportsCommand   `cmd:"" help:"${reports}"`
	Peaks     peaksCommand     `cmd:"" help:"${peaks}"`
}

// run is the program without the process: it returns the exit status.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	h := &house{ctx: ctx, in: in, out: out, errs: errs, env: os.Getenv, now: time.Now, lang: localeLang(os.Getenv)}
	var line commands
	left, status := false, 0
	parser, err := kong.New(&line,
		kong.Name("gpuadvisor"), kong.Description(h.say("about")), h.help(),
		kong.Writers(out, errs), kong.Exit(func(code int) { left, status = true, code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}), kong.Bind(h))
	if err != nil {
		panic(err) // the structs above are wrong: every run fails, every test sees it
	}
	chosen, err := parser.Parse(args)
	if left {
		return status
	}
	if err != nil {
		var names []string
		for _, command := range parser.Model.Children {
			names = append(names, command.Name)
		}
		return h.fail(misuse{h.unparsed(err, args, names)})
	}
	if err := h.settle(line, chosen.Command()); err != nil {
		return h.fail(err)
	}
	return h.fail(chosen.Run())
}

// house is what every command shares.
type house struct {
	ctx        context.Context
	in         io.Reader
	out, errs  io.Writer
	env        func(string) string
	now        func() time.Time
	lang       string          // "zh", "en", or "" when nothing tells
	wishedLang string          // the same, when --lang says it
	rules      string          // folder that overrides the embedded rules
	zone       string          // IANA name, always valid after settle
	zoneSaid   bool            // and not only our default
	config     config          // what is set in the file and the environment
	wrong      []rules.Problem // with it, for the doctor

	once    sync.Once
	advisor *advisor.Advisor
	rulebk  *advisor.Rulebook
	loadErr error
}

// defaultZone is where we take people to be when nothing tells.
const defaultZone = "Asia/Shanghai"

// settle takes over the flags that all commands share, and the settings.
func (h *house) settle(line commands, command string) error {
	if line.Lang != "auto" {
		h.lang, h.wishedLang = line.Lang, line.Lang
	}
	if _, err := loadZone(cmp.Or(line.TZ, defaultZone)); err != nil {
		return misuse{complain("bad.tz", line.TZ).In(h.lang)}
	}
	c, problems := readConfig(line.Config, h.env)
	if command == "doctor" { // it tells of them itself
		h.wrong = problems
	} else if problems = heeded(problems, command); len(problems) > 0 {
		return misconfigured(problems)
	}
	h.config = c
	h.rules = cmp.Or(line.Rules, c.RulesDir)
	zone := cmp.Or(line.TZ, string(c.DefaultTZ))
	h.zone, h.zoneSaid = cmp.Or(zone, defaultZone), zone != ""
	return nil
}

// embedded are the rules that came with the program, loaded once.
var embedded = sync.OnceValues(rules.Load)

// book loads the rules the first time that somebody needs them.
func (h *house) book() (*advisor.Rulebook, *advisor.Advisor, error) {
	h.once.Do(func() {
		if h.rules == "" {
			h.rulebk, h.loadErr = embedded()
		} else {
			h.rulebk, h.loadErr = rules.LoadDir(h.rules)
		}
		if h.loadErr == nil {
			h.advisor = h.thinker(h.rulebk)
		}
	})
	return h.rulebk, h.advisor, h.unsound(h.loadErr)
}

// thinker makes an advisor that thinks by a rulebook.
func (h *house) thinker(book *advisor.Rulebook) *advisor.Advisor {
	a := advisor.New(book).WithZones(loadZone)
	if rate := h.config.ExchangeRate.Rate; rate != nil {
		a = a.WithRate(*rate)
	}
	return a
}

// unsound makes one sentence of rules that do not hold. check lists them all.
func (h *house) unsound(err error) error {
	var problems rules.Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		return err
	}
	return fmt.Errorf(h.say("unsound"), len(problems), problems[0])
}

// misuse is a wrong command line: exit status 2.
type misuse struct{ say string }

func (m misuse) Error() string { return m.say }

// errPrinted ends a command with status 1 after its problems were printed.
var errPrinted = errors.New("problems were printed")

// fail prints one sentence for err and returns the exit status.
func (h *house) fail(err error) int {
	var wrong misuse
	var settings misconfigured
	switch {
	case errors.As(err, &settings):
		fmt.Fprintf(h.errs, "gpuadvisor: "+h.say("bad-config")+"\n", len(settings))
		for _, p := range settings {
			fmt.Fprintf(h.errs, "  %s\n", quotable(p.String()))
		}
		return 2
	case err == nil:
		return 0
	case errors.Is(err, errPrinted):
		return 1
	case errors.As(err, &wrong):
		fmt.Fprintf(h.errs, "gpuadvisor: %s\n", quotable(wrong.say))
		return 2
	default:
		fmt.Fprintf(h.errs, "gpuadvisor: %s\n", quotable(err.Error()))
		return 1
	}
}

// quotable is s as one line without what would steer a terminal: a complaint quotes
// what was typed.
func quotable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

// unparsed words what kong did not understand, with a way out.
func (h *house) unparsed(err error, args []string, names []string) string {
	said := err.Error()
	word, unexpected := strings.CutPrefix(said, "unexpected argument ")
	switch {
	case !unexpected || len(args) == 0 || args[0] != word:
		return said + h.say("see-help")
	case plainWord(word):
		return fmt.Sprintf(h.say("no-command"), word, strings.Join(names, " "))
	}
	return fmt.Sprintf(h.say("text-needs-ask"), strconv.Quote(word))
}

// plainWord reports whether s could be the name of a command.
func plainWord(s string) bool {
	return strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz-") == ""
}

// localeLang is the language of the user's locale, the way gettext finds it,
// or "" for none, C and POSIX.
func localeLang(env func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		switch v := strings.ToLower(env(name)); {
		case v == "":
			continue
		case strings.HasPrefix(v, "zh"):
			return "zh"
		case v == "c", v == "posix", strings.HasPrefix(v, "c."):
			return ""
		default:
			return "en"
		}
	}
	return ""
}
