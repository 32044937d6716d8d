package advisor

// Advice is a decision in the language-free form of the contract: what `ask
// --json` prints, and what the voice words.
type Advice struct {
	Task        string      `json:"task"`      // fine task
	Scope       string      `json:"scope"`     // card or total: what class_gib counts
	ClassGiB    float64     `json:"class_gib"` // smallest memory of a rentable card that holds the need
	Provisional bool        `json:"provisional"`
	Confidence  string      `json:"confidence"` // high medium low none
	Need        NeedNumbers `json:"need_gib"`
	Cards       []Pick      `json:"cards"` // best first
	Rejected    []Reject    `json:"rejected"`
	Platform    []string    `json:"platform"` // best first
	Link        string      `json:"link"`
	Delivery    string      `json:"delivery"`
	Billing     string      `json:"billing"`
	Cost        Cost        `json:"cost"`
	Risks       []string    `json:"risks"`
	Assumptions []string    `json:"assumptions"` // in the reply's language
	Changes     []Change    `json:"changes"`
	Because     []string    `json:"because"`
}

// NeedNumbers are the three numbers and their sum, GiB, per card when the
// scope is card.
type NeedNumbers struct {
	Load    float64 `json:"load"`
	Peak    float64 `json:"peak"`
	Reserve float64 `json:"reserve"`
	Total   float64 `json:"total"`
}

// Pick is a card that holds the job.
type Pick struct {
	Label   string `json:"label"` // with the count: 2xA100-80G
	GPU     string `json:"gpu"`   // id
	Count   int    `json:"count"`
	Fits    string `json:"fits"` // comfortable tight offload
	Because string `json:"because"`
}

// Reject is a card that does not, with the first gate it fails.
type Reject struct {
	Label   string `json:"label"`
	GPU     string `json:"gpu,omitempty"`
	Because string `json:"because"`
}

// Cost is card-hours and money for the finished job. Nil numbers mean that no
// price is known.
type Cost struct {
	GPUHours *Range   `json:"gpu_hours"`
	Low      *float64 `json:"low"`
	Likely   *float64 `json:"likely"`
	High     *float64 `json:"high"`
	Currency string   `json:"currency,omitempty"`
	AsOf     string   `json:"as_of,omitempty"`
	Source   string   `json:"source,omitempty"`
	Stale    bool     `json:"stale"`
}

// Change is a counterfactual: if this answer were different, this would be.
type Change struct {
	If   string `json:"if"`   // slot=value
	Then string `json:"then"` // what differs: a card label, platform=…, billing=…
}
