package advisor_test

import (
	"strings"
	"testing"

	"gpuadvisor/advisor"
)

// sixty is a question of about sixty characters, as people ask.
const sixty = "我们实验室想用两张A100 80G微调qwen2.5-32b，lora，数据60GB左右，大概跑5到7天，预算3000块，能断点续训"

func BenchmarkRead(b *testing.B) {
	book()
	b.Run("60", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			book().Read(sixty, advisor.Asked{})
		}
	})
	long := strings.Repeat(sixty+"；", 10000/len([]rune(sixty))+1)
	b.Run("10000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			book().Read(long, advisor.Asked{})
		}
	})
	noise := strings.Repeat("数据 4090 两张 3天 ", 1000)
	b.Run("10000-one-clause", func(b *testing.B) {
		for b.Loop() {
			book().Read(noise, advisor.Asked{})
		}
	})
}
