package when

import "unicode/utf8"

// folded is a text in the one spelling that the grammar reads: half width,
// lower case, simplified, single spaces. at gives each rune its first byte in
// the text as it came, and at[len(r)] is the text's length.
type folded struct {
	r  []rune
	at []int
}

func fold(text string) folded {
	f := folded{r: make([]rune, 0, len(text)), at: make([]int, 0, len(text)+1)}
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		if half, ok := fractions[c]; ok {
			f.fraction(half, i)
		} else {
			f.put(foldRune(c), i)
		}
		i += size
	}
	f.at = append(f.at, len(text))
	return f
}

func (f *folded) put(c rune, at int) {
	if c == ' ' && (len(f.r) == 0 || f.r[len(f.r)-1] == ' ') {
		return
	}
	f.r = append(f.r, c)
	f.at = append(f.at, at)
}

// fraction writes 1½ as 1.5 and ½ as 0.5.
func (f *folded) fraction(decimals string, at int) {
	if n := len(f.r); n == 0 || !isDigit(f.r[n-1]) {
		f.put('0', at)
	}
	for _, c := range decimals {
		f.put(c, at)
	}
}

var fractions = map[rune]string{'½': ".5", '¼': ".25", '¾': ".75"}

func foldRune(c rune) rune {
	switch {
	case c >= 0xFF01 && c <= 0xFF5E: // full-width ASCII
		c -= 0xFEE0
	case c == '\t' || c == '\n' || c == '\r' || c == 0xA0 || c == 0x3000 || c >= 0x2000 && c <= 0x200B || c == 0x202F:
		return ' '
	}
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	if c < 0x80 {
		return c
	}
	if s, ok := sameAs[c]; ok {
		return s
	}
	return c
}

func isDigit(c rune) bool  { return c >= '0' && c <= '9' }
func isLetter(c rune) bool { return c >= 'a' && c <= 'z' }

// sameAs maps traditional characters and typographic marks of time words to
// the spelling in words.go.
var sameAs = pairs(
	"點点後后鐘钟鍾钟週周兩两個个時时號号禮礼這这過过間间備备釋释關关機机續续費费內内開开裡里裏里幾几從从現现農农曆历國国慶庆聖圣誕诞節节東东區区紐纽約约倫伦",
	"陽阳舊旧臘腊陰阴動动勞劳萬万壹一貳二贰二叁三肆四伍五陸六柒七捌八玖九拾十佰百負负隔隔銷销毀毁刪删歸归還还壓压儲储檔档盤盘載载貝贝錢钱啟启顯显張张塊块條条項项節节",
	"準准當当單单雙双淩凌傍傍將将與与總总終终學学極极爾尔漢汉達达達达曉晓煙烟測测訓训練练櫃柜價价屆届頭头啓启導导屬属衛卫務务臺台台台灣湾舊旧羅罗聲声實实驗验領领",
	"‘'’'´'`'“\"”\"「\"」\"『\"』\"«\"»\"—-–-−-‐-‑-﹣-〜~∼~～~：:，,、、。;；;！!？?（(）)．.﹕:∶:",
)

func pairs(lists ...string) map[rune]rune {
	m := map[rune]rune{}
	for _, list := range lists {
		r := []rune(list)
		for i := 0; i+1 < len(r); i += 2 {
			m[r[i]] = r[i+1]
		}
	}
	return m
}
