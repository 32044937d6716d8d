package advisor

import (
	"strings"
	"testing"
)

const pasted = `看看这个 {"model_type":"newmodel","_name_or_path":"/data/newmodel-9b","hidden_size":4096,"num_hidden_layers":36,
"num_attention_heads":32,"num_key_value_heads":8,"head_dim":128,"intermediate_size":12288,"vocab_size":151936} 要多少显存`

func TestConfigIsReadAsAModel(t *testing.T) {
	var r Reading
	rest := r.config(pasted)
	if want := "看看这个  要多少显存"; rest != want {
		t.Errorf("got the rest %q, want %q", rest, want)
	}
	m := r.Facts.Shape.Value
	if m.Layers != 36 || m.KVHeads != 8 || m.ParamsB < 8.1 || m.ParamsB > 8.3 {
		t.Errorf("got shape %+v, want 36 layers, 8 key-value heads, about 8.2 billion", m)
	}
	if r.Unlisted != "newmodel-9b" {
		t.Errorf("got name %q, want the last part of the path", r.Unlisted)
	}
}

func TestConfigThatIsNone(t *testing.T) {
	for _, s := range []string{
		"", "{}", "hidden_size {", `{"hidden_size": "big"}`, `{"hidden_size":-1,"num_hidden_layers":2,"num_attention_heads":2,"vocab_size":3}`,
		`{"hidden_size":4096,"num_hidden_layers":99999999,"num_attention_heads":2,"vocab_size":3}`, strings.Repeat("{", 9999) + "hidden_size}",
	} {
		var r Reading
		if rest := r.config(s); rest != s || r.Facts.Shape.Known() {
			t.Errorf("%.60q was read as a config", s)
		}
	}
}
