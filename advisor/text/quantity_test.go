package text

import (
	"fmt"
	"strings"
	"testing"
)

// show writes quantities as "3 cards, 48–72 hours, 15 cny per 1".
func show(qs []Quantity) string {
	var out []string
	for _, q := range qs {
		v := fmt.Sprintf("%.4g", q.Lo)
		if q.Lo != q.Hi {
			v += fmt.Sprintf("–%.4g", q.Hi)
		}
		if q.Vague {
			v = "some"
		}
		u := string(q.Unit)
		if q.Unit == Bare {
			u = "bare"
		}
		v += " " + u
		if q.Per != 0 {
			v += fmt.Sprintf(" per %.3g", q.Per)
		}
		out = append(out, v)
	}
	return strings.Join(out, ", ")
}

func TestQuantities(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		// time
		{"三天半", "84 hours"},
		{"半个月", "360 hours"},
		{"俩礼拜", "336 hours"},
		{"两三天", "48–72 hours"},
		{"七八个小时", "7–8 hours"},
		{"三个半小时", "3.5 hours"},
		{"一个半月", "1080 hours"},
		{"两周半", "420 hours"},
		{"半天", "12 hours"},
		{"half a day", "12 hours"},
		{"half an hour", "0.5 hours"},
		{"a quarter of an hour", "0.25 hours"},
		{"three quarters of an hour", "0.75 hours"},
		{"a quarter", "2160 hours"},
		{"the last quarter of a project, two quarters", "4320 hours"},
		{"三刻钟", "0.75 hours"},
		{"a day and a half", "36 hours"},
		{"two and a half days", "60 hours"},
		{"5-7 days", "120–168 hours"},
		{"5–7天", "120–168 hours"},
		{"3天到5天", "72–120 hours"},
		{"one or two weeks", "168–336 hours"},
		{"1 or 2 weeks", "168–336 hours"},
		{"一到两周", "168–336 hours"},
		{"between 10 and 14 days", "240–336 hours"},
		{"2h30m", "2.5 hours"},
		{"1h30m", "1.5 hours"},
		{"1天12小时", "36 hours"},
		{"一个小时三十分钟", "1.5 hours"},
		{"1 hour and 20 minutes", "1.333 hours"},
		{"a week", "168 hours"},
		{"a couple of days", "48 hours"},
		{"a few days", "some hours"},
		{"几天", "some hours"},
		{"十几个小时", "some hours"},
		{"一个季度", "2160 hours"},
		{"one year", "8760 hours"},
		{"9点到18点", "9 hours"},
		{"晚上八点到早上八点", "12 hours"},
		{"9:00-17:30", "8.5 hours"},
		{"9am to 6pm", "9 hours"},
		{"周一早上九点到周五晚上九点", "108 hours"},
		{"3-day run", "72 hours"},
		{"6 hours a day", "6 hours per 24"},
		{"十来分钟", "0.1667 hours"},
		{"12月3号", "1 things"},
		{"11月28号到12月3号", "144 hours"},
		{"Dec 3 to 20", "432 hours"},
		{"3 Dec until 5 Jan", "816 hours"},
		{"a quarter of a terabyte", "250 gb"},
		{"六十几个G", "60 gb"},
		// memory and data
		{"1.5T", "1500 tera"},
		{"一点五T", "1500 tera"},
		{"0.3TB", "300 gb"},
		{"300 个G", "300 gb"},
		{"about 10 gigs", "10 gb"},
		{"512MB", "0.512 gb"},
		{"80 GB a day", "80 gb per 24"},
		{"40-60GB", "40–60 gb"},
		// parameters
		{"7B", "7 params"},
		{"７Ｂ", "7 params"},
		{"七十B", "70 params"},
		{"70亿", "7e+09 bare"},
		{"1.5 billion", "1.5e+09 bare"},
		{"125M", "1.25e+08 mega"},
		// money
		{"$50", "50 usd"},
		{"$2k", "2000 usd"},
		{"50块钱", "50 cny"},
		{"50来块钱", "50 cny"},
		{"两块三", "2.3 cny"},
		{"3块5", "3.5 cny"},
		{"每小时15块", "15 blocks"},
		{"500刀", "500 usd"},
		{"一百块", "100 blocks"},
		{"一万二", "1.2e+04 bare"},
		{"2万元", "2e+04 cny"},
		{"$0.40/hr", "0.4 usd per 1"},
		{"2.5元/小时", "2.5 cny per 1"},
		{"$1,200 per month", "1200 usd per 720"},
		{"0.35/hr", "0.35 bare per 1"},
		// counts
		{"两张", "2 sheets"},
		{"八卡", "8 cards"},
		{"8 GPUs", "8 cards"},
		{"2x", "2 times"},
		{"x8", "8 times"},
		{"几十张", "some sheets"},
		{"三千来张图", "3000 things"},
		{"4 users at 16k", "4 people, 1.6e+04 kilo"},
		{"10路", "10 streams"},
		{"200 concurrent users", "200 streams"},
		{"40k rows", "4e+04 things"},
		{"1T tokens", "1e+12 tokens"},
		{"10 million docs", "1e+07 things"},
		{"7B models", "7 params"},
		{"并发5个", "5 pieces"},
		{"24帧", "24 frames"},
		// pictures
		{"1024x768", "1024–768 size"},
		{"720p", "720 lines"},
		{"4k", "4000 kilo"},
		// no quantities
		{"yolov8m gpt2 int4 a100", ""},
		{"万相 千问 百川", ""},
		{"统一 第三", "1 bare, 3 bare"},
		{"20 Mbps", "20 mbps"},
		{"20M带宽", "20 mbps"},
		{"30%", "30 percent"},
		{"2e5张512的图", "2e+05 sheets, 512 bare"},
	} {
		l := Normal(tt.text)
		if got := show(Quantities(l.Text, nil)); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}
